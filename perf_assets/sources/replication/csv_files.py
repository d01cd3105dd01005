"""One CSV file of the package: its rows with their lines, and its sum."""

import csv
import hashlib
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import shortened


@dataclass(frozen=True)
class Line:
    """One row of a file: the number of its (first) line, its cells, and its text."""

    file: str
    number: int
    cells: tuple[str, ...]

    @property
    def text(self) -> str:
        """The row as CSV."""
        buffer = io.StringIO()
        csv.writer(buffer, lineterminator="").writerow(self.cells)
        return buffer.getvalue()


@dataclass(frozen=True)
class Reject:
    """A row, or ``part`` k of a row (0: all of it), that could not be loaded, and why."""

    file: str
    line: int
    part: int
    reason: str
    text: str


class RejectedError(Exception):
    """The reason why a row cannot be loaded."""


def read_lines(
    path: Path,
    columns: tuple[str, ...],
    accepts: Callable[[str], bool],
    *,
    ends_in_newline: bool = True,
) -> list[Line]:
    """Return the rows of the file at ``path``, which must have ``columns`` and a sum that
    ``accepts`` has.

    Without a line end after its last row it is cut short, unless the published one has none either.

    Raises
    ------
    PerfAssetsError
        It is missing or not readable, has other columns, is cut short, or its sum differs.
    """
    try:
        content = path.read_bytes()
        text = content.decode("utf-8")
    except OSError as error:
        raise PerfAssetsError(f"{path}: the file cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise PerfAssetsError(
            f"{path}: byte {error.start} is not valid UTF-8; the file is not the published one"
        ) from None
    lines = _rows(path, text)
    if not lines:
        raise PerfAssetsError(f"{path}: the file is empty; the published one has rows")
    header, rows = lines[0], lines[1:]
    _check_header(path, header.cells, columns)
    is_whole = text.endswith("\n") or not ends_in_newline
    if not is_whole or len(lines[-1].cells) < len(columns):
        raise PerfAssetsError(
            f"{path}: the file is cut short in line {lines[-1].number}; get it again"
        )
    if not accepts(hashlib.sha256(content).hexdigest()):
        raise PerfAssetsError(
            f"{path}: the content differs from the published file (its sha256 is another); get it "
            "again, or load it as it is with --accept-changes"
        )
    return rows


def load_rows(
    lines: list[Line], width: int, parse: Callable[[Line], Mapping[str, object]]
) -> tuple[list[dict[str, object]], list[Reject]]:
    """Return the results of ``parse`` for each row of ``width`` cells, with file and line.

    Rows of another width, and those that ``parse`` refuses, are rejects.
    """
    loaded: list[dict[str, object]] = []
    rejects: list[Reject] = []
    for line in lines:
        try:
            if len(line.cells) != width:
                raise RejectedError(f"it has {len(line.cells)} cells instead of {width}")
            loaded.append({**parse(line), "file": line.file, "line": line.number})
        except RejectedError as error:
            rejects.append(Reject(line.file, line.number, 0, str(error), line.text))
    return loaded, rejects


def _rows(path: Path, text: str) -> list[Line]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows = []
    number = 1
    try:
        for cells in reader:
            if cells:
                rows.append(Line(path.name, number, tuple(cells)))
            number = reader.line_num + 1
    except csv.Error as error:
        raise PerfAssetsError(
            f"{path}: the file is cut short or not CSV ({error}); get it again"
        ) from None
    return rows


def _check_header(path: Path, found: tuple[str, ...], expected: tuple[str, ...]) -> None:
    for index, name in enumerate(expected):
        there = found[index] if index < len(found) else "nothing"
        if there.strip("\ufeff") != name:
            raise PerfAssetsError(
                f"{path}: column {index + 1} is {shortened(there, 60)!r} instead of {name!r}; "
                "the file is not the published one"
            )
    if len(found) > len(expected):
        name = shortened(found[len(expected)], 60)
        raise PerfAssetsError(
            f"{path}: column {len(expected) + 1}, {name!r}, is one too many; "
            "the file is not the published one"
        )
