"""A small warehouse in memory for tests of models and queries: rows are given as dicts."""

import atexit
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import duckdb

from perf_assets.schema.models.ddl import (
    AS_OF_MACRO,
    AS_OF_SOURCE,
    create_as_of_macro,
    create_views,
)
from perf_assets.schema.models.dependencies import made_from
from perf_assets.schema.models.files import load_models, models_by_name
from perf_assets.storage.migrations import create_tables
from tests.rows import Row

Tables = Mapping[str, Sequence[Row]]


def insert(connection: duckdb.DuckDBPyConnection, table: str, rows: Iterable[Row]) -> None:
    """Add ``rows`` to ``table``, by name."""
    for row in rows:
        columns = ", ".join(f'"{column}"' for column in row)
        places = ", ".join("?" for _ in row)
        connection.execute(f"INSERT INTO {table} ({columns}) VALUES ({places})", list(row.values()))


def lay_models(connection: duckdb.DuckDBPyConnection) -> None:
    """Create every view in the database of ``connection``, whose tables are there."""
    create_views(connection, [each for each in load_models() if each.table.is_view])


class ModelDatabase:
    """A database of the project's tables and models that can be filled again and again."""

    def __init__(self, time_zone: str = "UTC") -> None:
        self._connection = duckdb.connect()
        self._connection.execute("SET threads = 1")  # the rows are few, switching costs more
        self._connection.execute(f"SET TimeZone = '{time_zone}'")
        # To copy tables and views takes a third of the time of creating them.
        self._connection.execute(f"ATTACH '{_made()}' AS made (READ_ONLY)")
        self._connection.execute("COPY FROM DATABASE made TO memory")
        self._connection.execute("DETACH made")
        self._to_clear = self._stored()
        self._outdated: set[str] = set()

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """The database itself, with every mart computed: whoever takes it may read any."""
        self._compute(_marts())
        self._to_clear = self._stored()  # and may write any
        return self._connection

    def fill(self, tables: Tables) -> None:
        """Replace all rows by those of ``tables``; marts are computed when they are read."""
        for name in self._to_clear:
            self._connection.execute(f"DELETE FROM {name}")
        for name, rows in tables.items():
            insert(self._connection, name, rows)
        self._to_clear, self._outdated = set(tables), set(_marts())

    def rows(self, query: str) -> list[Row]:
        """The answer to ``query``, moments as aware datetimes."""
        answer = self._answer(query)
        names = [column[0] for column in answer.description or ()]
        return [dict(zip(names, values, strict=True)) for values in answer.fetchall()]

    def table(self, name: str, columns: str = "*", order: str = "ALL") -> list[tuple[Any, ...]]:
        """The rows of a table as plain tuples."""
        return self._answer(f"SELECT {columns} FROM {name} ORDER BY {order}").fetchall()

    def _answer(self, query: str) -> duckdb.DuckDBPyConnection:
        # Computing them all takes a third of a second, and most tests read one.
        self._compute(_marts_behind(frozenset(re.findall(r"\w+\.\w+", query))))
        return self._connection.execute(query)

    def _compute(self, marts: Sequence[str]) -> None:
        for name in marts:
            if name in self._outdated:
                self._connection.execute(f"INSERT INTO {name} BY NAME {models_by_name()[name].sql}")
                self._outdated.discard(name)
                self._to_clear.add(name)

    def _stored(self) -> set[str]:
        query = "SELECT schema_name || '.' || table_name FROM duckdb_tables()"
        return {name for (name,) in self._connection.execute(query).fetchall()}


Build: TypeAlias = Callable[[Tables], ModelDatabase]
"""Fills a database with rows."""


@cache
def _made() -> Path:
    """A file with every table, view and macro, and no row; it goes with this process."""
    directory = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    path = Path(directory) / "models.duckdb"
    with duckdb.connect(str(path)) as connection:
        create_tables(connection)
        lay_models(connection)
        create_as_of_macro(connection)
    return path


@cache
def _marts() -> tuple[str, ...]:
    """The models that are stored, each after those it reads."""
    return tuple(model.name for model in load_models() if not model.table.is_view)


@cache
def _marts_behind(names: frozenset[str]) -> tuple[str, ...]:
    """The models that are stored among ``names`` and all that those are made from, in order."""
    behind: set[str] = set()
    pending = [AS_OF_SOURCE if name == AS_OF_MACRO else name for name in names]
    while pending:
        name = pending.pop()
        if name not in behind:
            behind.add(name)
            pending += made_from().get(name, ())
    return tuple(name for name in _marts() if name in behind)
