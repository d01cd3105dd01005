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

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import (
    for_spreadsheet,
    from_spreadsheet,
    is_utf8,
    shortened,
    without_controls,
)


@dataclass(frozen=True)
class Form:
    """What a sheet is about: the columns that are given, and those that the rater fills in.

    subjects : what its rows are about, as sentences name them.
    newer : the given columns that sheets of an older version lack.
    older : the given columns that only sheets of an older version have. They say what the tool
        found, which raters should not see before they judge.
    """

    subjects: str
    given: tuple[str, ...]
    rated: tuple[str, ...]
    newer: tuple[str, ...] = ()
    older: tuple[str, ...] = ()

    @property
    def written(self) -> tuple[str, ...]:
        """The given columns that a new sheet has."""
        return tuple(name for name in self.given if name not in self.older)

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns of a new sheet."""
        return (*self.written, *self.rated)

    def columns_of(self, header: Sequence[str]) -> tuple[str, ...]:
        """Return the columns that a sheet with this header should have."""
        names = {name.strip() for name in header}
        optional = (*self.newer, *self.older)
        every = (*self.given, *self.rated)
        return tuple(name for name in every if name not in optional or name in names)


BUG_REPORTS = Form(
    "bug reports",
    given=(
        *("repository", "number", "title", "link", "matched_labels", "keywords", "matched_in"),
        *("rule_version", "codebook"),
    ),
    rated=("is_performance", "category", "impact", "note"),
    newer=("codebook",),
    older=("matched_labels", "keywords", "matched_in"),
)
QUESTIONS = Form(
    "questions",
    given=(
        *("forum", "question_id", "title", "link", "tags", "stems", "matched_in", "rule_version"),
        "answer",
    ),
    rated=(
        *("is_performance", "kinds", "symptom1", "symptom2", "root_cause", "introducing_stage"),
        *("exposing_stage", "challenge", "note"),
    ),
    newer=("answer",),
    older=("stems", "matched_in"),
)
FINDINGS = Form(
    "findings",
    given=(
        *("repository", "finding_id", "rule", "severity", "path", "line", "code", "message"),
        "link",
    ),
    rated=("verdict", "state", "address", "note"),
    newer=("state", "address"),
)
ENDORSEMENTS = Form(
    "endorsements",
    given=(
        *("forum", "comment_id", "title", "link", "answer", "comment", "endorsement"),
        "matched_words",
    ),
    rated=("verdict", "note"),
)
FORMS = (BUG_REPORTS, QUESTIONS, FINDINGS, ENDORSEMENTS)

DELIMITERS = ",;\t"
LIST_SEPARATOR = " | "


@dataclass(frozen=True)
class Row:
    """A row of a sheet: the line it begins on, and its cells by column."""

    line: int
    cells: dict[str, str]


@dataclass(frozen=True)
class Places:
    """What sentences call the places of a sheet: its rows, which are numbered, and its cells.

    header : how many of the lines that are counted stand before the first row that is numbered.
    """

    row: str
    cell: str
    header: int = 0

    def row_at(self, line: int) -> str:
        """Return the row that begins on ``line``."""
        return f"{self.row} {line - self.header}"


LINES = Places("line", "column")


@dataclass(frozen=True)
class Sheet:
    """A sheet as it was read: of which form it is, its rows, and what its places are called."""

    form: Form
    rows: list[Row]
    places: Places = LINES


def sheet_text(subjects: pl.DataFrame, form: Form = BUG_REPORTS) -> str:
    """Return the sheet for ``subjects``, with the columns of ``form``; lists become text."""
    lists = pl.selectors.list()
    rows = subjects.select(form.written).with_columns(lists.list.join(LIST_SEPARATOR))
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(form.columns)
    for row in rows.iter_rows():
        cells = (for_spreadsheet(without_controls("" if c is None else str(c))) for c in row)
        writer.writerow([*cells, *("" for _ in form.rated)])
    return text.getvalue()


def read_sheet(path: Path, content: bytes) -> Sheet:
    """Return the sheet ``content``, read from ``path``, without blank rows.

    Raises
    ------
    PerfAssetsError
        It is not UTF-8, CSV or a review sheet; the message names file, line and column.
    """
    text = content.decode("utf-8-sig", errors="surrogateescape")
    first_line = text.split("\n", 1)[0]
    delimiter = max(DELIMITERS, key=first_line.count)
    names = {name.strip(' "\r') for name in first_line.split(delimiter)}
    form = max(FORMS, key=lambda form: len(names & {*form.given, *form.rated}))
    records = _records(path, text, delimiter, form)
    _, header = next(records, (1, []))
    columns = form.columns_of(header)
    _check_header(path, header, columns)
    rows = []
    for line, cells in records:
        if not any(cell.strip() for cell in cells):
            continue
        rows.append(_row(path, line, cells, columns))
    return Sheet(form, rows)


def _records(path: Path, text: str, delimiter: str, form: Form) -> Iterator[tuple[int, list[str]]]:
    """Yield each record with the line it begins on."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for cells in reader:
            for index, cell in enumerate(cells):
                if not is_utf8(cell):
                    columns = form.columns
                    column = columns[index] if index < len(columns) else index + 1
                    raise PerfAssetsError(
                        f"{path}, line {line}, column {column}: not valid UTF-8; save the sheet as "
                        "CSV (UTF-8)"
                    )
            yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise PerfAssetsError(
            f"{path}, line {line}: not valid CSV ({error}); save the sheet as CSV (UTF-8)"
        ) from None


def _check_header(path: Path, header: Sequence[str], columns: Sequence[str]) -> None:
    names = [name.strip() for name in header]
    while names and not names[-1]:
        names.pop()
    if names == list(columns):
        return
    where = f"{path}, line 1"
    if not set(names) & set(columns):
        raise PerfAssetsError(
            f"{where}: not a review sheet; a review sheet has the columns {', '.join(columns)}"
        )
    for name in columns:
        if name not in names:
            raise PerfAssetsError(f"{where}, column {name}: the column is missing; put it back")
    for index, name in enumerate(names):
        if index >= len(columns) or name != columns[index]:
            expected = columns[index] if index < len(columns) else "nothing"
            there = shortened(name, 60)
            raise PerfAssetsError(
                f"{where}, column {index + 1}: the header has {there!r} where {expected} belongs; "
                "give back the header of the sheet as it was written"
            )


def _row(path: Path, line: int, cells: Sequence[str], columns: Sequence[str]) -> Row:
    if len(cells) < len(columns) or any(cell.strip() for cell in cells[len(columns) :]):
        index = columns[len(cells)] if len(cells) < len(columns) else len(columns) + 1
        raise PerfAssetsError(
            f"{path}, line {line}, column {index}: the row has {len(cells)} cells where the "
            f"header has {len(columns)}"
        )
    return Row(
        line, {name: from_spreadsheet(cell) for name, cell in zip(columns, cells, strict=False)}
    )
