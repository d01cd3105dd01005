"""What a query gave: rows as Python has them, with DuckDB's names of their types."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import chain, count
from typing import Any

import duckdb
import polars as pl
from duckdb.sqltypes import DuckDBPyType

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import escape_text
from perf_assets.schema.ddl import quoted_name
from perf_assets.schema.frames import frame_of

NOT_IN_PARQUET = ("interval", "union")
NUMBER = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL\(\d+,\d+\)|BIGNUM")
INTEGER = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?")
TIME = re.compile(r"DATE|TIME(STAMP.*|( WITH TIME ZONE)?)")


@dataclass(frozen=True)
class QueryResult:
    """The columns of an answer, the name of the type of each, and the rows."""

    columns: Sequence[str]
    types: Sequence[str]
    rows: Sequence[tuple[Any, ...]]

    def column(self, name: str) -> list[Any]:
        """Return the values of a column."""
        index = self.columns.index(name)
        return [row[index] for row in self.rows]

    def by_column(self) -> dict[str, list[Any]]:
        """Return the values of each column."""
        return {name: self.column(name) for name in self.columns}

    def first(self, number: int) -> "QueryResult":
        """Return the first so many of the rows."""
        return QueryResult(self.columns, self.types, self.rows[:number])


def fetch_result(answered: duckdb.DuckDBPyConnection | duckdb.DuckDBPyRelation) -> QueryResult:
    """Return the rows of what was executed; columns of the same name get a number as suffix.

    Raises
    ------
    duckdb.Error
        They cannot be computed.
    ValueError
        One is infinite, or is the first or last day or moment that Python has, as which DuckDB
        gives what is infinite.
    """
    described = answered.description or []
    names = _distinct([str(name) for name, *_ in described])
    result = QueryResult(names, [str(kind) for _, kind, *_ in described], answered.fetchall())
    for name, kind in zip(names, result.types, strict=True):
        if is_time(kind) and any(map(_may_be_infinite, result.column(name))):
            raise ValueError(f"infinity in {name}")
    return result


def typed_frame(relation: duckdb.DuckDBPyRelation) -> pl.DataFrame:
    """Return the rows of ``relation`` as a frame; columns of the same name get a number as suffix.

    Raises
    ------
    PerfAssetsError
        A column has a type that Parquet does not have.
    duckdb.Error
        The rows cannot be computed.
    """
    names = _distinct(relation.columns)
    for name, kind in zip(names, relation.types, strict=True):
        if not _is_in_parquet(kind):
            what = escape_text(f"{name}, {kind}")
            raise PerfAssetsError(f"Parquet has no such type ({what}): cast the column")
    columns = [f"#{number} AS {quoted_name(name)}" for number, name in enumerate(names, 1)]
    return frame_of(relation.project(", ".join(columns)))


def is_number(kind: str) -> bool:
    """Return whether values of this type are numbers."""
    return NUMBER.fullmatch(kind) is not None


def is_integer(kind: str) -> bool:
    """Return whether values of this type are whole numbers."""
    return INTEGER.fullmatch(kind) is not None


def is_time(kind: str) -> bool:
    """Return whether values of this type are dates, times of day or moments."""
    return TIME.fullmatch(kind) is not None


def _may_be_infinite(value: object) -> bool:
    if isinstance(value, datetime):
        return value.replace(tzinfo=None) in (datetime.min, datetime.max)
    return isinstance(value, date) and value in (date.min, date.max)


def _is_in_parquet(kind: DuckDBPyType) -> bool:
    if kind.id in NOT_IN_PARQUET:
        return False
    parts = kind.children if kind.id in ("list", "array", "struct", "map") else ()
    return all(_is_in_parquet(part) for _, part in parts if isinstance(part, DuckDBPyType))


def _distinct(names: Sequence[str]) -> list[str]:
    distinct: list[str] = []
    for name in names:
        candidates = chain([name], (f"{name}_{number}" for number in count(2)))
        distinct.append(next(candidate for candidate in candidates if candidate not in distinct))
    return distinct
