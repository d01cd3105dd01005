"""The review sheet: a CSV file that goes through a spreadsheet and comes back.

Written as UTF-8 with a byte order mark (without it Excel reads another encoding), comma-separated,
every cell quoted. Where a spreadsheet could take text for a formula, an apostrophe stands before
it, which reading takes away again. A sheet that a spreadsheet saved with semicolons or tabs is
read as well.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from perf_assets.errors import PerfAssetsError
from perf_assets.plain import for_spreadsheet, from_spreadsheet, without_controls

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
        cells = (for_spreadsheet(without_controls(str(cell))) for cell in row)
        writer.writerow([*cells, *("" for _ in RATED)])
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
    return Row(
        line, {name: from_spreadsheet(cell) for name, cell in zip(COLUMNS, cells, strict=False)}
    )
