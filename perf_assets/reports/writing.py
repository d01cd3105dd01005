"""Files for people, each replaced atomically."""

import os
from pathlib import Path

from perf_assets.errors import PerfAssetsError


def write_report(path: Path, content: str | bytes) -> Path:
    """Replace the report by ``content``."""
    temporary = path.with_name(f".{path.name}.new")
    temporary.write_bytes(content.encode() if isinstance(content, str) else content)
    return temporary.replace(path)


def write_whole(path: Path, content: bytes) -> None:
    """Replace the file at ``path`` by ``content`` atomically.

    Raises
    ------
    PerfAssetsError
        It cannot be written there, or a database would be lost.
    """
    if path.suffix == ".duckdb":
        raise PerfAssetsError(f"{path}: this would replace a database; choose another name")
    temporary = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        if path.exists() and not path.is_file():  # a pipe, /dev/stdout; a directory says so
            path.write_bytes(content)
            return
        temporary.write_bytes(content)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise PerfAssetsError(f"{path}: this cannot be written: {error.strerror}") from None
