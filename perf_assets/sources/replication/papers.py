"""Read the printed values of the papers, as declared in ``printed/``."""

from functools import cache
from pathlib import Path

from perf_assets.base.config_files import validate
from perf_assets.core.paper.printed import Paper
from perf_assets.schema.reading import load_yaml

FOLDER = Path(__file__).with_name("printed")


@cache
def papers() -> dict[str, Paper]:
    """Return the papers by study.

    Raises
    ------
    PerfAssetsError
        A declaration has a mistake.
    """
    declared = (validate(Paper, load_yaml(path), path) for path in sorted(FOLDER.glob("*.yml")))
    return {paper.study: paper for paper in declared}
