"""Figures: what each table of statistics says, in words, as a small table and as a picture.

They are declared beside their tables in ``dbt_like_models``, with their queries; the modules here
draw. The same figures stand in Dagster beside their table, and in the report.
"""

import duckdb

from perf_assets.reports.figures.drawing import begin
from perf_assets.reports.figures.figure import Figure, Shown, figures

__all__ = ["Figure", "Shown", "begin", "figures", "shown"]


def shown(connection: duckdb.DuckDBPyConnection, table: str) -> Shown | None:
    """Return the figure of ``table`` over the data of a warehouse or of the published database.

    None where the table has no rows, or no figure.
    """
    figure = figures().get(table)
    return figure.shown(connection) if figure else None
