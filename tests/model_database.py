"""A small warehouse in memory for tests of models and queries: rows are given as dicts."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

import perf_assets
from perf_assets.sql_models.laying import create_as_of_macro, create_table, create_view, load_models
from tests.rows import Row

SCHEMA = (Path(perf_assets.__file__).parent / "schema.sql").read_text(encoding="utf-8")

Tables = Mapping[str, Sequence[Row]]


def insert(connection: duckdb.DuckDBPyConnection, table: str, rows: Iterable[Row]) -> None:
    """Add ``rows`` to ``table``, by name."""
    for row in rows:
        columns = ", ".join(f'"{column}"' for column in row)
        places = ", ".join("?" for _ in row)
        connection.execute(f"INSERT INTO {table} ({columns}) VALUES ({places})", list(row.values()))


def lay_models(connection: duckdb.DuckDBPyConnection) -> None:
    """Create every view and mart in the database of ``connection``."""
    for each in load_models():
        (create_view if each.materialization == "view" else create_table)(connection, each)


class ModelDatabase:
    """A database of the project's tables and models that can be filled again and again."""

    def __init__(self, time_zone: str = "UTC") -> None:
        self.connection = duckdb.connect()
        self.connection.execute(SCHEMA)
        self.connection.execute("SET threads = 1")  # the rows are few, switching costs more
        self.connection.execute(f"SET TimeZone = '{time_zone}'")
        lay_models(self.connection)
        create_as_of_macro(self.connection)

    def fill(self, tables: Tables) -> None:
        """Replace all rows by those of ``tables`` and compute the marts."""
        marts = [model for model in load_models() if model.materialization == "table"]
        stored = self.rows(
            "SELECT schema_name || '.' || table_name AS name FROM duckdb_tables() "
            "WHERE schema_name IN ('meta', 'raw', 'labels', 'links', 'replication', 'reviews')"
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
