"""Tables whose rows lie in a lake alone: ``meta.about`` says so, and what is published lacks them.

An empty table would answer every question about issues and commits, and wrongly.
"""

import re
from collections.abc import Mapping
from pathlib import Path

import duckdb

from perf_assets.storage.migrations import create_tables

IN_LAKE = "in the lake "
"""How the fact on the rows of such a table begins; the address of the lake follows."""
MEANING = (
    "Its rows lie in the lake, not in this database; perf-assets lake pull brings those of a "
    "repository into a data directory."
)
FACTS = """
SELECT fact, value FROM meta.about WHERE topic = 'rows' AND starts_with(value, ?) ORDER BY ALL
"""
_MISSING = re.compile(r"Table with name (\w+) does not exist")


def lake_rows(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Return where the rows of such tables, and of views over them, lie; empty if all are here."""
    try:
        return dict(connection.execute(FACTS, [IN_LAKE]).fetchall())
    except (duckdb.CatalogException, duckdb.BinderException):  # published by another version
        return {}


def make_left_out(path: Path) -> None:
    """Make what is left out of the published copy at ``path``, empty, as the warehouse had it."""
    with duckdb.connect(str(path)) as connection:
        if lake_rows(connection):
            create_tables(connection)


def names_any(query: str, tables: Mapping[str, str]) -> bool:
    """Return whether ``query`` names one of the ``tables``."""
    return any(re.search(rf"\b{re.escape(table)}\b", query) for table in tables)


def where_rows_are(connection: duckdb.DuckDBPyConnection, query: str, error: str) -> str | None:
    """Return where the rows lie of what ``query`` asks for in vain, in a sentence; None of other
    errors.

    ``error`` is what DuckDB says: a macro names tables that the query does not.
    """
    if (missing := _MISSING.search(error)) is None:
        return None
    tables = lake_rows(connection)
    named = [table for table in tables if names_any(query, {table: ""})]
    behind = [table for table in tables if table.partition(".")[2] == missing[1]]
    return next((sentence(table, tables) for table in (*named, *behind)), None)


def sentence(table: str, tables: Mapping[str, str]) -> str:
    """Return where the rows of ``table`` lie, one of those that ``lake_rows`` tells."""
    return (
        f"the rows of {table} are {tables[table]}, not in this database, as Spark computes the "
        "models there: perf-assets lake pull brings those of a repository into a data directory, "
        "and what is computed of them is in marts and analysis"
    )
