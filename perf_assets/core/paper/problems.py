"""The study of performance problems: how many there are, and their symptoms and root causes."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

import polars as pl

from perf_assets.core.paper.figures import PROBLEMS, Figure, PaperTables, comparison_row, days_of
from perf_assets.sanitize import in_words

FORUM = "stackoverflow"
LOCATION = "Published file"
PROJECTS = "projects on GitHub"
CHECKED = {
    "found": "problems that the published checker found",
    "projects": "projects in which it found them",
    "confirmed": "problems that maintainers confirmed",
    "fixed": "problems that maintainers fixed",
}
UNCHECKED = "the published data name neither the projects nor the versions that were checked"
UNLISTED = (
    "the list is none of the files that are loaded; why it has more rows than the paper calls "
    "problems fixed is not said"
)


def problem_figures(
    table: PaperTables, problems: pl.DataFrame, distribution: pl.DataFrame
) -> Iterator[tuple[object, ...]]:
    """The figures of the study, counted from its published problems.

    Parameters
    ----------
    table
        The table ``problems`` of the file of published values; what it states of the checker stands
        with the reason why it cannot be derived.
    problems
        ``replication.problems``.
    distribution
        ``marts.problem_distribution`` of the published problems.
    """
    days = problems.get_column("created_at").dt.date()
    found = {
        "problems": ("Abstract", "performance problems", problems.height),
        "posts": ("Abstract", "questions that hold them", problems["question_id"].n_unique()),
        "first_day": (LOCATION, "day of the first question", _days(days.min())),
        "last_day": (LOCATION, "day of the last question", _days(days.max())),
        "two_symptoms": (
            LOCATION,
            "problems with two symptoms",
            problems["symptom_2_category"].drop_nulls().len(),
        ),
    }
    for name, (location, quantity, value) in found.items():
        yield _row(f"problems.{name}", location, quantity, table[name], value)
    for part in table["distributions"]:
        aspect, counted = part["aspect"], part["counted"]
        codes = distribution.filter(aspect=aspect, counted=counted)
        counts = dict(codes.select("code", "problems").iter_rows())
        for code, text in part["counts"].items():
            name = f"problems.{aspect}.{counted}.{code}"
            quantity = f"{in_words(aspect)} {code}: problems, by {in_words(counted)}"
            yield _row(
                name, f"{LOCATION}, {in_words(aspect)}s", quantity, text, counts.get(code, 0)
            )
    yield from _checker_figures(table["checker"])


def _checker_figures(stated: Mapping[str, Any]) -> Iterator[tuple[object, ...]]:
    for name, quantity in CHECKED.items():
        location = "Abstract"
        figure = Figure(
            f"problems.checker.{name}", location, PROJECTS, quantity, stated[name], PROBLEMS
        )
        yield comparison_row(figure, None, gap=UNCHECKED)
    for rule, text in stated["list_of_fixes"].items():
        name = f"problems.checker.list_of_fixes.{rule}"
        quantity = "rows" if rule == "all" else f"rows of the rule that is {rule} here"
        figure = Figure(
            name, "List of fixes beside the checker", PROJECTS, quantity, text, PROBLEMS
        )
        yield comparison_row(figure, None, gap=UNLISTED)


def _days(day: object) -> int:
    assert isinstance(day, date)
    return days_of(day)


def _row(name: str, location: str, quantity: str, text: str, value: int) -> tuple[object, ...]:
    figure = Figure(name, location, FORUM, quantity, text, PROBLEMS)
    return comparison_row(
        figure,
        value,
        gap=None,
        reason="the loaded file holds other problems than the published one",
    )
