"""Files for people, each replaced atomically."""

from pathlib import Path

from perf_assets.errors import PerfAssetsError
from perf_assets.files import write_file


def write_whole(path: Path, content: bytes) -> None:
    """Replace the file at ``path``, which a person named, by ``content``.

    Raises
    ------
    PerfAssetsError
        It cannot be written there, or a database would be lost.
    """
    if path.suffix == ".duckdb":
        raise PerfAssetsError(f"{path}: this would replace a database; choose another name")
    write_file(path, content)
