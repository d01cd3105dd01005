"""Files for people, each put in the place of the one before in one step."""

import base64
import os
from collections.abc import Callable
from pathlib import Path

from perf_assets.errors import PerfAssetsError

LARGEST_INLINE = 100_000  # characters


def write_report(path: Path, content: str | bytes) -> Path:
    """Put ``content`` in the place of the report, or of a picture of it."""
    temporary = path.with_name(f".{path.name}.new")
    temporary.write_bytes(content.encode() if isinstance(content, str) else content)
    return temporary.replace(path)


def write_whole(path: Path, content: bytes) -> None:
    """Put ``content`` in the place of the file at ``path`` in one step.

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


def keep_picture(path: Path, make: Callable[[], str] | None, *, is_new: bool) -> str:
    """Keep the picture at ``path`` up to date; returns it as an address that holds it whole.

    Empty where there is nothing to draw (``make`` is None), and where it would be too large for
    that. It is drawn where ``is_new`` says that the data are, or where it is missing.
    """
    if make is None:
        path.unlink(missing_ok=True)
        return ""
    if is_new or not path.exists():
        write_report(path, make())
    held = base64.b64encode(path.read_bytes()).decode("ascii")
    return "data:image/svg+xml;base64," + held if len(held) < LARGEST_INLINE else ""
