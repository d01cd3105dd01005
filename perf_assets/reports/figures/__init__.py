"""Figures: what each table of statistics says, in words, as a small table and as a picture.

The same figures stand in Dagster beside their table, and in the report.
"""

import duckdb

from perf_assets.reports.figures import (
    alerts,
    areas,
    audits,
    bugs,
    causes,
    code,
    people,
    probabilities,
    problems,
    projects,
    quality,
    question_kinds,
    questions,
    study_steps,
    trends,
)
from perf_assets.reports.figures.drawing import begin
from perf_assets.reports.figures.figure import Figure, Shown

__all__ = ["FIGURES", "Shown", "begin", "shown"]

FIGURES: dict[str, Figure] = {
    **trends.FIGURES,
    **alerts.FIGURES,
    **study_steps.FIGURES,
    **bugs.FIGURES,
    **areas.FIGURES,
    **causes.FIGURES,
    **questions.FIGURES,
    **question_kinds.FIGURES,
    **problems.FIGURES,
    **projects.FIGURES,
    **code.FIGURES,
    **quality.FIGURES,
    **people.FIGURES,
    **probabilities.FIGURES,
    **audits.FIGURES,
}
"""The figure of each table that has one, by its name."""


def shown(connection: duckdb.DuckDBPyConnection, table: str) -> Shown | None:
    """The figure of ``table`` over the data of a warehouse or of the published database.

    None where the table has no rows, or no figure.
    """
    figure = FIGURES.get(table)
    return figure.shown(connection) if figure else None
