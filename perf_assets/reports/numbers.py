"""A few numbers of a table at the time of a run, which Dagster draws over the runs."""

import duckdb

from perf_assets.reports.sql_files import rows_of

NUMBERS = {
    "marts.bug_metrics": "numbers_of_bug_metrics",
    "marts.trend_monthly": "numbers_of_trend_monthly",
    "links.fix_links": "numbers_of_fix_links",
}
"""The query of each asset's numbers, one row; a column a number."""


def numbers_of(connection: duckdb.DuckDBPyConnection, asset: str) -> dict[str, float]:
    """Return the numbers of ``asset`` by name, without those that cannot be computed."""
    if asset not in NUMBERS:
        return {}
    row = rows_of(connection, NUMBERS[asset]).row(0, named=True)
    return {name: round(float(number), 2) for name, number in row.items() if number is not None}
