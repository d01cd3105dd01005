"""What raters wrote into a review sheet, as verdicts; a sheet with a mistake is refused whole."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NoReturn, TypeVar

import polars as pl

from perf_assets.core.reviews.codebook import (
    IMPACTS,
    VERDICTS,
    Code,
    UnknownWordError,
    nearest_word,
)
from perf_assets.errors import PerfAssetsError
from perf_assets.sources.review_sheets.codebook import codebook
from perf_assets.sources.review_sheets.sheet import Row
from perf_assets.tables.types import Columns

Issue = tuple[str, int]
T = TypeVar("T")

JUDGED: Columns = {
    "repository": pl.String,
    "number": pl.Int64,
    "verdict": pl.String,
    "category": pl.String,
    "subcategory": pl.String,
    "impact": pl.String,
    "note": pl.String,
    "line": pl.Int64,
}


def read_verdicts(path: Path, rows: Sequence[Row], links: Mapping[Issue, str]) -> pl.DataFrame:
    """The verdicts in the ``rows`` of the sheet at ``path``, columns as :data:`JUDGED`.

    A row whose columns for the rater are all empty is not judged yet, and left out.

    Parameters
    ----------
    links : the web address of every bug report, by repository and number.

    Raises
    ------
    PerfAssetsError
        A word that nobody knows, an issue that is none, a row that does not fit together: one
        sentence with file, line and column.
    """
    reader = _Reader(path, links)
    verdicts = [verdict for row in rows if (verdict := reader.verdict(row)) is not None]
    return pl.DataFrame(verdicts, schema=JUDGED, orient="row")


class _Reader:
    """Checks each cell where it stands."""

    def __init__(self, path: Path, links: Mapping[Issue, str]) -> None:
        self.path = path
        self.links = links
        self.lines: dict[Issue, int] = {}

    def verdict(self, row: Row) -> tuple[object, ...] | None:
        repository, number = self.issue(row)
        word = row.cells["is_performance"].strip()
        note = row.cells["note"].strip() or None
        given = [name for name in ("category", "impact", "note") if row.cells[name].strip()]
        if not word:
            if given:
                self.refuse(row, "is_performance", f"is empty although {given[0]} is filled in")
            return None
        verdict = self.word(row, "is_performance", VERDICTS)
        if verdict != "yes" and given[:1] not in ([], ["note"]):
            self.refuse(row, given[0], f"is only for performance bugs, and this is judged {word}")
        cause = self.cause(row)
        category, subcategory = (cause.category, cause.subcategory) if cause else (None, None)
        impact = self.word(row, "impact", IMPACTS) if row.cells["impact"].strip() else None
        return repository, number, verdict, category, subcategory, impact, note, row.line

    def issue(self, row: Row) -> Issue:
        repository, text = row.cells["repository"].strip(), row.cells["number"].strip()
        number = int(text) if text.isascii() and text.isdigit() else None
        if number is None:
            self.refuse(row, "number", f"{text!r} is no number of an issue")
        issue = (repository, number)
        if issue not in self.links:
            self.refuse(row, "number", f"{repository}#{number} is no bug report that is stored")
        if row.cells["link"].strip() != self.links[issue]:
            # Sorting some columns of a spreadsheet without the others does this.
            self.refuse(row, "link", f"is not that of {repository}#{number}, {self.links[issue]}")
        if issue in self.lines:
            self.refuse(row, "number", f"#{number} stands in line {self.lines[issue]} already")
        self.lines[issue] = row.line
        return issue

    def cause(self, row: Row) -> Code | None:
        text = row.cells["category"].strip()
        return self.known(row, "category", lambda: codebook().code(text)) if text else None

    def word(self, row: Row, column: str, words: tuple[str, ...]) -> str:
        return self.known(row, column, lambda: known_word(row.cells[column], words))

    def known(self, row: Row, column: str, find: Callable[[], T]) -> T:
        try:
            return find()
        except UnknownWordError as error:
            self.refuse(row, column, f"{error.word!r} is unknown; did you mean {error.nearest!r}?")

    def refuse(self, row: Row, column: str, reason: str) -> NoReturn:
        raise PerfAssetsError(
            f"{self.path}, line {row.line}, column {column}: {reason}; nothing was imported"
        )


def known_word(text: str, words: tuple[str, ...]) -> str:
    """``text`` as one of ``words``; UnknownWordError with the nearest where it is none."""
    word = text.strip().casefold()
    if word not in words:
        raise UnknownWordError(text.strip(), nearest_word(word, words))
    return word
