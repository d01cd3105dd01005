"""A small warehouse in memory for tests of models and queries: rows are given as dicts."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import duckdb

from perf_assets.sql_models.files import load_models
from perf_assets.sql_models.laying import create_as_of_macro, create_view
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
    for each in load_models():
        if each.table.is_view:
            create_view(connection, each)


class ModelDatabase:
    """A database of the project's tables and models that can be filled again and again."""

    def __init__(self, time_zone: str = "UTC") -> None:
        self.connection = duckdb.connect()
        create_tables(self.connection)
        self.connection.execute("SET threads = 1")  # the rows are few, switching costs more
        self.connection.execute(f"SET TimeZone = '{time_zone}'")
        lay_models(self.connection)
        create_as_of_macro(self.connection)

    def fill(self, tables: Tables) -> None:
        """Replace all rows by those of ``tables`` and compute the marts."""
        marts = [model for model in load_models() if not model.table.is_view]
        stored = self.rows(
            "SELECT schema_name || '.' || table_name AS name FROM duckdb_tables() "
            "WHERE schema_name NOT IN ('marts', 'analysis')"
        )
        for name in [model.name for model in marts] + [row["name"] for row in stored]:
            self.connection.execute(f"DELETE FROM {name}")
        for name, rows in tables.items():
            insert(self.connection, name, rows)
        for model in marts:
            self.connection.execute(f"INSERT INTO {model.name} BY NAME {model.sql}")

    def rows(self, query: str) -> list[Row]:
        """The answer to ``query``, moments as aware datetimes."""
        answer = self.connection.execute(query)
        names = [column[0] for column in answer.description or ()]
        return [dict(zip(names, values, strict=True)) for values in answer.fetchall()]

    def table(self, name: str, columns: str = "*", order: str = "ALL") -> list[tuple[Any, ...]]:
        """The rows of a table as plain tuples."""
        return self.connection.execute(f"SELECT {columns} FROM {name} ORDER BY {order}").fetchall()
