"""The review sheet: a CSV file that goes through a spreadsheet and comes back.

Written as UTF-8 with a byte order mark (without it Excel reads another encoding), comma-separated,
every cell quoted. Where a spreadsheet could take text for a formula, an apostrophe stands before
it, which reading takes away again. A sheet that a spreadsheet saved with semicolons or tabs is
read as well.
"""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from perf_assets.errors import PerfAssetsError
from perf_assets.plain import without_controls

GIVEN = (
    "repository",
    "number",
    "title",
    "link",
    "matched_labels",
    "keywords",
    "matched_in",
    "rule_version",
)
RATED = ("is_performance", "category", "impact", "note")
COLUMNS = (*GIVEN, *RATED)

DELIMITERS = ",;\t"
LIST_SEPARATOR = " | "

# A cell may be cut at these characters where a spreadsheet separates columns by another one.
CUTS = re.compile(r"([;\t\r\n])")
# The first sign of a formula with nothing but signs and spaces before it. The apostrophe is one of
# them so that one that was there already is not taken away.
RISKY = re.compile(r"\W*?['=+\-@\uff1d\uff0b\uff0d\uff20]")


@dataclass(frozen=True)
class Row:
    """A row of a sheet: the line it begins on, and its cells by column."""

    line: int
    cells: dict[str, str]


def sheet_text(bugs: pl.DataFrame) -> str:
    """The sheet for ``bugs``, which has the columns :data:`GIVEN`; lists become text."""
    lists = pl.selectors.list()
    rows = bugs.select(GIVEN).with_columns(lists.list.join(LIST_SEPARATOR))
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for row in rows.iter_rows():
        writer.writerow(
            [*(safe(without_controls(str(cell))) for cell in row), *("" for _ in RATED)]
        )
    return text.getvalue()


def read_sheet(path: Path, content: bytes) -> list[Row]:
    """The rows of the sheet ``content``, read from ``path``; blank ones are left out.

    Raises
    ------
    PerfAssetsError
        It is no UTF-8, no CSV, or not a review sheet; one sentence with file, line and column.
    """
    text = content.decode("utf-8-sig", errors="surrogateescape")
    delimiter = _delimiter(text)
    records = _records(path, text, delimiter)
    _, header = next(records, (1, []))
    _check_header(path, header)
    rows = []
    for line, cells in records:
        if not any(cell.strip() for cell in cells):
            continue
        rows.append(_row(path, line, cells))
    return rows


def safe(text: str) -> str:
    """``text`` as no spreadsheet takes it for a formula; :func:`unsafe` gives it back."""
    first, *others = CUTS.split(text)
    begun = "'" + first if _is_risky(first) or (not first and others) else first
    return "".join([begun, *("'" + part if _is_risky(part) else part for part in others)])


def unsafe(text: str) -> str:
    """The text of which ``text`` is the :func:`safe` form; other text stays as it is."""
    first, *others = CUTS.split(text)
    begun = "" if first == "'" and others else _bare(first)
    return "".join([begun, *map(_bare, others)])


def _is_risky(part: str) -> bool:
    return RISKY.match(part) is not None


def _bare(part: str) -> str:
    return part[1:] if part.startswith("'") and _is_risky(part[1:]) else part


def _delimiter(text: str) -> str:
    """The character that separates the columns: the one that the first line has most of."""
    first = text.split("\n", 1)[0]
    return max(DELIMITERS, key=first.count)


def _records(path: Path, text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Each record with the line it begins on."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise PerfAssetsError(
                f"{path}, line {line}: this is no CSV ({error}); save the sheet as CSV (UTF-8)"
            ) from None
        for place, cell in enumerate(cells):
            if not cell.isprintable() and any("\ud800" <= sign <= "\udfff" for sign in cell):
                column = COLUMNS[place] if place < len(COLUMNS) else place + 1
                raise PerfAssetsError(
                    f"{path}, line {line}, column {column}: this is no UTF-8; save the sheet as "
                    "CSV (UTF-8)"
                )
        yield line, cells
        line = reader.line_num + 1


def _check_header(path: Path, header: Sequence[str]) -> None:
    names = [name.strip() for name in header]
    while names and not names[-1]:
        names.pop()
    if tuple(names) == COLUMNS:
        return
    where = f"{path}, line 1"
    if not set(names) & set(COLUMNS):
        raise PerfAssetsError(
            f"{where}: this is no review sheet; its columns are {', '.join(COLUMNS)}"
        )
    for name in COLUMNS:
        if name not in names:
            raise PerfAssetsError(f"{where}, column {name}: the column is missing; put it back")
    for place, name in enumerate(names):
        if place >= len(COLUMNS) or name != COLUMNS[place]:
            wanted = COLUMNS[place] if place < len(COLUMNS) else "nothing"
            raise PerfAssetsError(
                f"{where}, column {place + 1}: the header has {name!r} where {wanted} belongs; "
                "give back the header of the sheet as it was written"
            )


def _row(path: Path, line: int, cells: Sequence[str]) -> Row:
    if len(cells) < len(COLUMNS) or any(cell.strip() for cell in cells[len(COLUMNS) :]):
        place = COLUMNS[len(cells)] if len(cells) < len(COLUMNS) else len(COLUMNS) + 1
        raise PerfAssetsError(
            f"{path}, line {line}, column {place}: the row has {len(cells)} cells where the "
            f"header has {len(COLUMNS)}"
        )
    return Row(line, {name: unsafe(cell) for name, cell in zip(COLUMNS, cells, strict=False)})
