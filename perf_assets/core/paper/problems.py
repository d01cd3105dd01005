"""The study of performance problems: how many there are, and their symptoms and root causes."""

from collections.abc import Iterator
from datetime import date

import polars as pl

from perf_assets.core.paper.figures import (
    PROBLEMS,
    Figure,
    PaperTables,
    comparison_row,
    days_of,
)

FORUM = "stackoverflow"
PLACE = "Published file"


def problem_figures(
    table: PaperTables, problems: pl.DataFrame, distribution: pl.DataFrame
) -> Iterator[tuple[object, ...]]:
    """The figures of the study, counted from its published problems.

    Parameters
    ----------
    table
        The table ``problems`` of the file of published values.
    problems
        ``replication.problems``.
    distribution
        ``marts.problem_distribution`` of the published problems.
    """
    days = problems.get_column("created_at").dt.date()
    found = {
        "problems": ("Abstract", "performance problems", problems.height),
        "posts": ("Abstract", "questions that hold them", problems["question_id"].n_unique()),
        "first_day": (PLACE, "day of the first question", _days(days.min())),
        "last_day": (PLACE, "day of the last question", _days(days.max())),
        "two_symptoms": (
            PLACE,
            "problems with two symptoms",
            problems["symptom_2_category"].drop_nulls().len(),
        ),
    }
    for name, (place, quantity, value) in found.items():
        yield _row(f"problems.{name}", place, quantity, table[name], value)
    for part in table["distributions"]:
        aspect, counted = part["aspect"], part["counted"]
        codes = distribution.filter(aspect=aspect, counted=counted)
        counts = dict(codes.select("code", "problems").iter_rows())
        for code, text in part["counts"].items():
            name = f"problems.{aspect}.{counted}.{code}"
            quantity = f"{aspect} {code}: problems, by {counted}"
            yield _row(name, f"{PLACE}, {aspect}s", quantity, text, counts.get(code, 0))


def _days(day: object) -> int:
    assert isinstance(day, date)
    return days_of(day)


def _row(name: str, place: str, quantity: str, text: str, value: int) -> tuple[object, ...]:
    figure = Figure(name, place, FORUM, quantity, text, PROBLEMS)
    return comparison_row(
        figure,
        value,
        gap=None,
        reason="the loaded file holds other problems than the published one",
    )
