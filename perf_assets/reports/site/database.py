"""The database of the console: a copy of what is published, for a DuckDB without extensions.

DuckDB-Wasm fetches its extensions from a host on the internet, which a site of ours never does.
Without ``icu`` it can compare and show moments with a time zone, and compute nothing with them. So
in this copy they are TIMESTAMP, in UTC, and the few functions that the extension would bring to
our queries are macros.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import duckdb

from perf_assets.reports.exporting import chosen_tables, quoted_table
from perf_assets.reports.query_runner import NAME
from perf_assets.schema.ddl import quoted, quoted_name
from perf_assets.schema.models.cookbook import Query
from perf_assets.storage.confined import attach
from perf_assets.storage.database_copy import attached_as_copy
from perf_assets.storage.warehouse import readable

MOMENT = "TIMESTAMP WITH TIME ZONE"
OF_MOMENT = re.compile(r"TIMESTAMP WITH TIME ZONE|TIMESTAMPTZ", re.IGNORECASE)
MACROS = (
    # What AT TIME ZONE 'UTC' calls.
    "CREATE MACRO main.timezone(zone, moment) AS CASE WHEN upper(zone) = 'UTC' THEN moment "
    "ELSE error('this console knows no time zone but UTC') END",
    "CREATE MACRO main.current_date() AS CAST(CAST(now() AS TIMESTAMP) AS DATE)",
    "CREATE MACRO main.today() AS CAST(CAST(now() AS TIMESTAMP) AS DATE)",
)
OPENING = (
    "SET TimeZone = 'UTC'",
    # Views are stored with the older spelling of lambdas, which older clients need.
    "SET lambda_syntax = 'ENABLE_SINGLE_ARROW'",
    "SET threads = 1",  # so that the same rows make the same file
)
TABLES = """
SELECT schema_name || '.' || table_name, comment FROM duckdb_tables()
WHERE database_name = $1 AND NOT internal ORDER BY schema_name, table_name
"""
VIEWS = """
SELECT schema_name || '.' || view_name, comment, sql FROM duckdb_views()
WHERE database_name = $1 AND NOT internal ORDER BY schema_name, view_name
"""
TABLE_MACROS = """
SELECT schema_name || '.' || function_name, comment, parameters, macro_definition
FROM duckdb_functions() WHERE database_name = $1 AND macro_definition IS NOT NULL
AND function_type = 'table_macro' ORDER BY ALL
"""
COLUMNS = """
SELECT schema_name || '.' || table_name, column_name, data_type, comment FROM duckdb_columns()
WHERE database_name = $1 AND NOT internal ORDER BY schema_name, table_name, column_index
"""


@dataclass(frozen=True)
class Column:
    """A column of the published database."""

    name: str
    type: str
    comment: str | None

    @property
    def selected(self) -> str:
        """The column as the copy has it."""
        name = quoted_name(self.name)
        return f"CAST({name} AS TIMESTAMP) AS {name}" if self.type == MOMENT else name


def write_console_database(
    published: Path, target: Path, tables: Collection[str] = (), queries: Sequence[Query] = ()
) -> list[Query]:
    """Write the database of the console to ``target``; returns the ``queries`` that it answers.

    ``tables`` (names or schemas; default: all) is what it has. A view is a view where what it
    reads is there too, and else a table of its rows.

    Raises
    ------
    PerfAssetsError
        There is no such table.
    duckdb.Error
        The disk is full, or the database is damaged.
    """
    target.unlink(missing_ok=True)
    with readable(published) as own, duckdb.connect() as connection:
        attach(connection, own, NAME)
        for setting in OPENING:
            connection.execute(setting)
        connection.execute(f"USE {NAME}")
        chosen = set(chosen_tables(connection, tables)) if tables else None
        connection.execute(attached_as_copy(target))
        try:
            _fill(connection, chosen)
            found = answered(connection, queries)
            connection.execute("USE memory")
            connection.execute("CHECKPOINT copy")
        finally:
            connection.execute("USE memory")
            connection.execute("DETACH copy")
    return found


def answered_from(
    published: duckdb.DuckDBPyConnection, tables: Collection[str], queries: Sequence[Query]
) -> list[Query]:
    """Return those of ``queries`` that need no more than ``tables`` of the published database."""
    with duckdb.connect() as connection:
        for name in tables:
            table = quoted_table(name)
            described = published.execute(f"DESCRIBE {table}").fetchall()
            columns = ", ".join(f"{quoted_name(column)} {kind}" for column, kind, *_ in described)
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {table.partition('.')[0]}")
            connection.execute(f"CREATE TABLE {table} ({columns})")
        return answered(connection, queries)


def _fill(connection: duckdb.DuckDBPyConnection, chosen: set[str] | None) -> None:
    columns: dict[str, list[Column]] = {}
    for table, *column in connection.execute(COLUMNS, [NAME]).fetchall():
        columns.setdefault(table, []).append(Column(*column))
    tables, views, macros = (
        connection.execute(query, [NAME]).fetchall() for query in (TABLES, VIEWS, TABLE_MACROS)
    )
    connection.execute("USE copy")
    for schema in {name.partition(".")[0] for name, *_ in (*tables, *views)} - {"main"}:
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {quoted_name(schema)}")
    for macro in MACROS:
        connection.execute(macro)
    comments = {
        name: comment for name, comment, *_ in (*tables, *views) if chosen is None or name in chosen
    }
    for name, _ in tables:
        if name in comments:
            _copy_rows(connection, name, columns[name])
    laid = _lay_views(connection, {name: sql for name, _, sql in views if name in comments})
    for name, *_ in views:
        if name in comments and name not in laid:
            _copy_rows(connection, name, columns[name])
    for macro in macros:
        _lay_macro(connection, *macro)
    for name, comment in comments.items():
        _describe(connection, name, "VIEW" if name in laid else "TABLE", comment, columns[name])


def _copy_rows(connection: duckdb.DuckDBPyConnection, name: str, columns: Sequence[Column]) -> None:
    table = quoted_table(name)
    selected = ", ".join(column.selected for column in columns)
    connection.execute(f"CREATE TABLE {table} AS SELECT {selected} FROM {NAME}.{table}")


def _lay_views(connection: duckdb.DuckDBPyConnection, views: Mapping[str, str]) -> set[str]:
    """Make the views whose tables are there; returns their names."""
    left = dict(views)
    while left:
        made = set()
        for name, sql in left.items():
            # What it reads may come later, or not at all.
            with suppress(duckdb.CatalogException, duckdb.BinderException):
                connection.execute(OF_MOMENT.sub("TIMESTAMP", sql))
                made.add(name)
        if not made:
            break
        left = {name: sql for name, sql in left.items() if name not in made}
    return views.keys() - left.keys()


def _lay_macro(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    comment: str | None,
    parameters: Sequence[str],
    definition: str,
) -> None:
    """Make a table macro where what it reads is there."""
    made = f"CREATE MACRO {name}({', '.join(parameters)}) AS TABLE {definition}"
    values = ", ".join("NULL" for _ in parameters)
    try:
        connection.execute(OF_MOMENT.sub("TIMESTAMP", made))
        connection.execute(f"SELECT * FROM {name}({values}) LIMIT 0")
    except (duckdb.CatalogException, duckdb.BinderException):
        connection.execute(f"DROP MACRO TABLE IF EXISTS {name}")
        return
    if comment is not None:
        connection.execute(f"COMMENT ON MACRO TABLE {name} IS {quoted(comment)}")


def _describe(
    connection: duckdb.DuckDBPyConnection,
    key: str,
    kind: str,
    comment: str | None,
    columns: Sequence[Column],
) -> None:
    table = quoted_table(key)
    if comment is not None:
        connection.execute(f"COMMENT ON {kind} {table} IS {quoted(comment)}")
    for column in columns:
        if column.comment is not None:
            name = f"{table}.{quoted_name(column.name)}"
            connection.execute(f"COMMENT ON COLUMN {name} IS {quoted(column.comment)}")


def answered(connection: duckdb.DuckDBPyConnection, queries: Sequence[Query]) -> list[Query]:
    """Return the queries whose tables are all there."""
    found = []
    for query in queries:
        with suppress(duckdb.CatalogException, duckdb.BinderException):
            connection.execute(f"EXPLAIN {query.statement}").fetchall()
            found.append(query)
    return found
