"""The study of performance problems: how many there are, and their symptoms and root causes."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

import polars as pl

from perf_assets.base.sanitize import in_words
from perf_assets.core.paper.constants import PUBLISHED_FILE
from perf_assets.core.paper.figures import (
    PROBLEMS,
    Figure,
    PaperTables,
    comparison_row,
    days_of,
)

FORUM = "stackoverflow"
PROJECTS = "projects on GitHub"
CHECKED = {
    "found": "problems that the published checker found",
    "projects": "projects in which it found them",
    "confirmed": "problems that maintainers confirmed",
    "fixed": "problems that maintainers fixed",
}
APPROACHES = {
    "profiler_status": "TensorFlow's profiler",
    "xla_status": "XLA",
    "documentation_status": "TensorFlow's documentation",
}
OTHER_PROBLEMS = "the loaded file holds other problems than the published one"
UNREPRODUCED = "benchmark.csv, which says which problems were reproduced, is not loaded"
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
        "first_day": (PUBLISHED_FILE, "day of the first question", _days(days.min())),
        "last_day": (PUBLISHED_FILE, "day of the last question", _days(days.max())),
        "two_symptoms": (
            PUBLISHED_FILE,
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
                name, f"{PUBLISHED_FILE}, {in_words(aspect)}s", quantity, text, counts.get(code, 0)
            )
    yield from _crossing_figures(table["crossings"], problems)
    yield from _benchmark_figures(table["benchmark"], problems)
    yield from _codebook_figures(table["codebook"], problems)
    yield from _checker_figures(table["checker"])


def _crossing_figures(
    tables: Sequence[Mapping[str, Any]], problems: pl.DataFrame
) -> Iterator[tuple[object, ...]]:
    """Problems of each pair of categories."""
    for table in tables:
        of, by = table["of"], table["by"]
        counts = {
            (first, second): n for first, second, n in problems.group_by(of, by).len().iter_rows()
        }
        names = [in_words(name.removesuffix("_category")) for name in (of, by)]
        location = f"{PUBLISHED_FILE}, {' by '.join(names)}"
        for first, second, text in (
            (first, second, text)
            for first, row in table["counts"].items()
            for second, text in row.items()
        ):
            name = f"problems.{of}.{first}.{by}.{second}"
            quantity = f"{names[0]} {first}, {names[1]} {second}: problems"
            yield _row(name, location, quantity, text, counts.get((first, second), 0))


def _benchmark_figures(
    table: Mapping[str, Any], problems: pl.DataFrame
) -> Iterator[tuple[object, ...]]:
    """How many problems the authors reproduced, and what each approach did for these."""
    reproduced = problems.drop_nulls("profiler_status")
    gap = UNREPRODUCED if reproduced.is_empty() else None
    quantity = "problems that the authors reproduced"
    figure = Figure(
        "problems.benchmark", "Abstract and RQ4", FORUM, quantity, table["problems"], PROBLEMS
    )
    yield comparison_row(figure, reproduced.height, gap=gap, reason=OTHER_PROBLEMS)
    for column, words in APPROACHES.items():
        counts = dict(reproduced[column].value_counts().iter_rows())
        for status, text in table[column].items():
            figure = Figure(
                f"problems.benchmark.{column}.{status}",
                f"{PUBLISHED_FILE}, benchmark of RQ4",
                FORUM,
                f"reproduced problems, {words}: {in_words(status)}",
                text,
                PROBLEMS,
            )
            yield comparison_row(figure, counts.get(status, 0), gap=gap, reason=OTHER_PROBLEMS)


def _codebook_figures(
    table: Mapping[str, Any], problems: pl.DataFrame
) -> Iterator[tuple[object, ...]]:
    """How many codes there are of each kind, and how many of them the problems have."""
    symptoms, causes, stages = (
        pl.concat(problems.select(pl.col(name).alias("code")) for name in names)
        .to_series()
        .drop_nulls()
        .n_unique()
        for names in (
            ("symptom_1_subcategory", "symptom_2_subcategory"),
            ("cause_subcategory",),
            ("introducing_stage", "exposing_stage"),
        )
    )
    for name, found in (("symptoms", symptoms), ("root_causes", causes), ("stages", stages)):
        quantity = f"{in_words(name)} of the codebook, Unknown stages among them"
        yield _row(
            f"problems.codebook.{name}",
            "Codebook",
            quantity if name == "stages" else f"{in_words(name)} of the codebook",
            table[name],
            found,
        )


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
        reason=OTHER_PROBLEMS,
    )
