"""Declare the printed values of a paper: tables with rows, columns and a query.

A value is compared with the column of the query that has its name. Texts are templates over the
columns of the query, the other cells of the row and what the data say of themselves: ``{name}``,
with ``{name:words}`` for a value of ours in words, and ``{name:if}`` for nothing but the condition
that it is there. Of several variants the first holds whose values are all there.
"""

from collections.abc import Mapping
from string import Formatter
from typing import Annotated, Literal, TypeAlias

import polars as pl
from pydantic import BeforeValidator, Field

from perf_assets.base.config_files import Many, StrictModel
from perf_assets.base.sanitize import in_words

BUGS, PROBLEMS, CHALLENGES = "performance_bugs", "performance_problems", "challenges"
"""The studies, by what they are of: Makkouk et al. (ICSME 2022), Cao et al. (ESEC/FSE 2022), Zhang
et al. (ISSRE 2019)."""

AGAINST_ITSELF = "The paper against itself"
"""The location of a value that is set against another one of the paper."""

DITTO = '"'
Cells: TypeAlias = Mapping[str, str | None]


def _variants(value: object) -> object:
    return (value,) if isinstance(value, (str, Mapping)) else value


def _cells(value: object) -> object:
    """Read the rows of a text such as ``a | b``, whose first line names the columns."""
    if not isinstance(value, str):
        return value
    header, *lines = ([cell.strip() for cell in line.split("|")] for line in value.splitlines())
    rows: list[dict[str, str | None]] = []
    for number, line in enumerate(lines, 1):
        if len(line) != len(header):
            raise ValueError(f"row {number} has {len(line)} cells instead of {len(header)}")
        row = {name: cell or None for name, cell in zip(header, line, strict=True)}
        rows.append({name: rows[-1][name] if row[name] == DITTO else row[name] for name in header})
    return tuple(rows)


Variants = Annotated[Many[str], BeforeValidator(_variants)]


class Directed(StrictModel):
    """A reason for values that are larger than the printed one, or smaller, and for no others."""

    when: Literal["larger", "smaller"]
    text: str


Reasons = Annotated[Many[str | Directed], BeforeValidator(_variants)]


class Column(StrictModel):
    """What the values of a column are of; a table says it for all of its columns, or each its own.

    value : the column of the query that is compared, by default the one of the same name.
    figure : the short name of a value, in which ``{key}`` stands for all keys of its row.
    printed : the value as printed, by default the cell of the same name.
    gap : why there is no value to compare.
    behind : that the counts differ which the value is made of, so that it coincides at most.
    reason : why a value differs. One that holds for larger or for smaller values alone says so by
        ``when``: it is left out where the difference has the other sign.
    note : what is said of one that does not.
    """

    value: str = ""
    figure: str = "{table}.{key}.{column}"
    location: str = ""
    repository: str = "{repository}"
    quantity: str = ""
    printed: Variants = ()
    gap: Variants = ()
    reason: Reasons = ()
    note: Variants = ()
    behind: Variants = ()


class PrintedTable(Column):
    """A printed table, figure or section, see the module.

    keys : the columns that tell its rows apart.
    rows : its cells as printed, empty where nothing is; ``"`` repeats the cell above. Without any
        the rows are those of the query.
    query : the values to compare, a row for each of the keys; without it there are none.
    """

    keys: Many[str] = ()
    columns: dict[str, Column]
    rows: Annotated[Many[Cells], BeforeValidator(_cells)] | None = None
    query: str = ""

    def column(self, name: str) -> Column:
        """Return a column with what the table says for all of them."""
        shared = self.model_dump(include=set(Column.model_fields), exclude_unset=True)
        return Column(**{**shared, **self.columns[name].model_dump(exclude_unset=True)})

    @property
    def frame(self) -> pl.DataFrame:
        """Return the rows with ``line``; NAME is a number where all cells are, NAME_text a text."""
        rows = self.rows or ()
        names = list(dict.fromkeys(name for row in rows for name in row))
        texts = [pl.Series(name, [row.get(name) for row in rows], pl.String) for name in names]
        return pl.DataFrame(
            [
                pl.Series("line", range(len(rows)), pl.Int64),
                *map(_numbers, texts),
                *(series.alias(f"{series.name}_text") for series in texts),
            ]
        )


class Paper(StrictModel):
    """The values of a study, and with which data they are compared.

    queries : tables that the queries of several printed tables read.
    """

    study: Literal["performance_bugs", "performance_problems", "challenges"]
    dataset: Literal["replication", "live"]
    queries: dict[str, str] = Field(default_factory=dict)
    tables: dict[str, PrintedTable]


class _MissingValueError(Exception):
    """A template needs a value that is not there."""


class _Words(Formatter):
    def format_field(self, value: object, format_spec: str) -> str:
        if value is None:
            raise _MissingValueError
        if format_spec == "if":
            return ""
        if format_spec == "words":
            return in_words(str(value))
        return str(super().format_field(value, format_spec))


def reasons_for(reasons: Reasons, difference: float) -> Variants:
    """Return the variants of a reason that hold for a value that differs by ``difference``."""
    direction = "larger" if difference > 0 else "smaller"
    return tuple(
        reason if isinstance(reason, str) else reason.text
        for reason in reasons
        if isinstance(reason, str) or reason.when == direction
    )


def filled(variants: Variants, values: Mapping[str, object]) -> str | None:
    """Return the first of ``variants`` whose values are all there, filled."""
    for variant in variants:
        try:
            return _Words().vformat(variant, (), values)
        except _MissingValueError:
            continue
    return None


def _numbers(texts: pl.Series) -> pl.Series:
    """Return the numbers of a column of printed cells; its texts where one is not a number."""
    plain = texts.str.replace_all(",", "")
    for kind in (pl.Null, pl.Int64, pl.Float64):
        numbers = plain.cast(kind, strict=False)
        if numbers.null_count() == texts.null_count():
            return numbers
    return texts
