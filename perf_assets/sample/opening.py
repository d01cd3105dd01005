"""The study that a person names: a file, a packaged study, or the embedded sample."""

from pathlib import Path

from perf_assets.sample.generator import QUESTIONS, generate
from perf_assets.study import SAMPLE, Study, load_study


def open_study(source: str | Path | None, home: Path) -> Study:
    """The study at ``source``, by default the embedded sample.

    The sample's corpus is generated below ``home`` on first use.

    Raises
    ------
    PerfAssetsError
        There is no such study, or its file has a mistake.
    """
    chosen = str(source or SAMPLE)
    if chosen != SAMPLE or Path(chosen).is_file():
        return load_study(chosen)
    directory = home / SAMPLE
    if not directory.is_dir():
        generate(directory, questions=QUESTIONS)
    return load_study(directory / "study.toml")
