"""Of a study of many repositories those that a person is shown; the tables hold all of them."""

import duckdb
import polars as pl

from perf_assets.reports.sql_files import rows_of

MOST = 20
"""Repositories that are shown; ``queries/passed_over.sql`` names the others."""


def passed_over(connection: duckdb.DuckDBPyConnection) -> frozenset[str]:
    """Return the repositories that reports leave out: all but the ``MOST`` largest."""
    return frozenset(rows_of(connection, "passed_over")["repository"])


def without(rows: pl.DataFrame, names: frozenset[str]) -> pl.DataFrame:
    """Return the ``rows`` that are not about the repositories ``names``."""
    if not names or "repository" not in rows.columns:
        return rows
    return rows.filter(~pl.col("repository").is_in(names).fill_null(value=False))


def remark(names: frozenset[str]) -> list[str]:
    """Return a sentence on the ``names`` that are left out, or none."""
    sentence = (
        f"Of {len(names) + MOST:,} repositories the {MOST} with most bug reports are shown one by "
        "one. Pooled rows are over all of them, and the database has all of them."
    )
    return [sentence] if names else []
