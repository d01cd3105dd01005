"""Rows in DuckDB in memory, without the conditions of their tables, and the models over them."""

from collections.abc import Mapping

import duckdb
import polars as pl

from perf_assets.schema import table_of
from perf_assets.schema.models.files import load_models


def of_rows(rows: Mapping[str, pl.DataFrame]) -> duckdb.DuckDBPyConnection:
    """A database of ``rows`` by table, its views laid and its marts computed."""
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'; SET threads = 1")
    for name, frame in rows.items():
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {name.partition('.')[0]}")
        connection.register("rows", frame.to_arrow())
        columns = ", ".join(
            f'CAST("{one.name}" AS {one.type}) AS "{one.name}"' for one in table_of(name).columns
        )
        connection.execute(f"CREATE TABLE {name} AS SELECT {columns} FROM rows")
    for model in load_models():
        kind = "VIEW" if model.table.is_view else "TABLE"
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {model.table.schema_name}")
        connection.execute(f"CREATE {kind} {model.name} AS {model.sql}")
    return connection


def rows_of(connection: duckdb.DuckDBPyConnection, name: str) -> pl.DataFrame:
    """The rows of ``name`` in their declared types, by its key."""
    table = table_of(name)
    found = connection.sql(f"FROM {name}").to_arrow_table()
    frame = pl.DataFrame(found).select(table.frame_schema.names())
    return frame.cast(dict(table.frame_schema)).sort(table.key)
