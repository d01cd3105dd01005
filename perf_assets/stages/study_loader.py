"""The study that a person names: a file, a packaged study, or the embedded sample."""

import tempfile
from contextlib import suppress
from pathlib import Path

from perf_assets.config.study import SAMPLE, Study, load_study


def open_study(source: str | Path | None, data_dir: Path) -> Study:
    """The study at ``source``, by default the embedded sample.

    The sample's corpus is generated below ``data_dir`` on first use.

    Raises
    ------
    PerfAssetsError
        There is no such study, or its file has a mistake.
    """
    chosen = str(source or SAMPLE)
    if chosen != SAMPLE or Path(chosen).is_file():
        return load_study(chosen)
    directory = data_dir / SAMPLE
    if not directory.is_dir():
        _generate(directory)
    return load_study(directory / "study.toml")


def _generate(directory: Path) -> None:
    """Generate the corpus at ``directory``: all of it or nothing, and once where two want it."""
    # Most who open it have it, and it takes long to import.
    from perf_assets.stand_ins.generator import (  # noqa: PLC0415
        QUESTIONS,
        SAMPLE_TOPICS,
        generate,
    )

    with tempfile.TemporaryDirectory(dir=directory.parent) as temporary:
        made = Path(temporary) / SAMPLE
        generate(made, questions=QUESTIONS, topics=SAMPLE_TOPICS)
        with suppress(OSError):  # another process was first
            made.rename(directory)
