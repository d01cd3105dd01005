"""Studies of few events: nothing is estimated below its minimum, and every sentence can be read."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import NamedTuple

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perf_assets.base.months import add_months
from perf_assets.core.statistics.minimum_events import COMPARISON, CURVE, REGRESSION
from perf_assets.reports.figures import figures
from perf_assets.reports.monthly.contents import read_short
from perf_assets.reports.monthly.growth import read_growths
from perf_assets.reports.monthly.news import Lists, read_news
from perf_assets.reports.monthly.sections import read_sections
from perf_assets.reports.quality import remarks, warnings
from perf_assets.schema.models.dependencies import analyses, made_from
from perf_assets.stages.transform.analyses import function_of
from tests.effort import examples
from tests.model_database import ModelDatabase
from tests.rows import commit, issue, label, link, loads, repository

pytestmark = pytest.mark.slow

START = "2020-01"
ODD = re.compile(r"\b(nan|inf|None|NULL)\b|\b0 of 0\b|\(\)|: ;|: $|, ,|\[\]")
OF_PEOPLE = re.compile("agreement|rater|quality|question|paper|finding|precision|stem")
"""Analyses of what small studies have none of."""


class Bug(NamedTuple):
    """Opened on a day of the study, closed so many days later or never, and maybe fixed."""

    day: int
    closed_after: int | None
    is_performance: bool
    is_fixed: bool


bugs = st.builds(
    Bug,
    st.integers(0, 200),
    st.none() | st.integers(0, 90),
    st.just(value=False),
    st.booleans(),
)
performance_bugs = bugs.map(lambda one: one._replace(is_performance=True))
studies = st.tuples(
    st.lists(bugs, max_size=10),
    st.lists(performance_bugs, max_size=3),
    st.sampled_from([1, 7, 24]),
)


@cache
def database() -> ModelDatabase:
    return ModelDatabase()


def filled(of_study: Sequence[Bug], months: int) -> duckdb.DuckDBPyConnection:
    """The tables of a study of so many months, with all that is computed of them."""
    month_names = [add_months(START, index) for index in range(months)]
    begin, end = (
        datetime(2020, 1, 1, tzinfo=UTC),
        datetime.fromisoformat(f"{add_months(START, months)}-01T00:00:00Z"),
    )
    issues, labels, links, commits = [], [], [], []
    for number, one in enumerate(of_study, 1):
        opened = begin + timedelta(days=one.day % (28 * months), hours=number)
        closed = None if one.closed_after is None else opened + timedelta(days=one.closed_after)
        closed = None if closed is None or closed >= end else closed
        issues.append(issue(number, opened, closed, month=f"{opened:%Y-%m}"))
        keywords = ["slow"] if one.is_performance else []
        labels.append(label(number, is_performance=one.is_performance, matched_keywords=keywords))
        if one.is_fixed and closed is not None:
            links.append(link(number, f"fix {number}"))
            commits.append(commit(f"fix {number}", closed, number, 1))
    tables = {
        "meta.repositories": [repository(start=START, trend_start=START)],
        "meta.partition_loads": loads(*month_names),
        "raw.issues": issues,
        "labels.performance_labels": labels,
        "links.fix_links": links,
        "raw.commits": commits,
    }
    database().fill(tables)
    connection = database().connection
    for name in in_order():
        analysis = analyses()[name]
        frames = (
            connection.sql(f"select {', '.join(columns or '*')} from {table}").pl()
            for table, columns in analysis.reads.items()
        )

        rows = function_of(name)(*frames)  # noqa: F841 - DuckDB reads it
        connection.execute(f"delete from {name}")
        connection.execute(f"insert into {name} by name select * from rows")
    return connection


def in_order() -> list[str]:
    """The analyses of bug reports, each after those that it reads."""
    chosen = [name for name in analyses() if not OF_PEOPLE.search(name)]
    return sorted(chosen, key=lambda name: (any(up in chosen for up in made_from()[name]), name))


def sentences_of(connection: duckdb.DuckDBPyConnection) -> list[str]:
    shown = [one for figure in figures().values() if (one := figure.shown(connection)) is not None]
    lines = [what for one in shown for _, what in one.verdicts]
    for part in read_short(connection):
        lines += [part.title, *part.words]
    growths, lists = read_growths(connection), Lists(connection)
    for part in (
        *read_news(connection, lists),
        *(part for section in read_sections(connection, growths, lists) for part in section.parts),
    ):
        lines += [
            part.title,
            *part.words,
            *(text for tile in part.tiles for text in vars(tile).values()),
        ]
    return [*lines, *remarks(connection), *warnings(connection)]


@pytest.mark.exhaustive
@settings(max_examples=examples(6, 60), deadline=None)
@given(studies)
def test_few_events_give_counts_and_sentences_that_can_be_read(
    study: tuple[list[Bug], list[Bug], int],
) -> None:
    others, performance, months = study
    connection = filled([*others, *performance], months)
    assert [line for line in sentences_of(connection) if ODD.search(line)] == []
    estimated = {
        table: connection.execute(
            f"select count(*) from analysis.{table} where {condition}"
        ).fetchone()
        for table, condition in {
            "group_comparisons": "coalesce(cliffs_delta, p_value, median_performance) is not null",
            "effect_sizes": "coalesce(cliffs_delta, p_value) is not null",
            "trend_tests": "coalesce(p_value, odds_ratio_per_year) is not null",
            "closing_rates": "coalesce(p_value, rate_ratio) is not null",
            "open_share_changes": "coalesce(p_value, slope) is not null",
            "fix_incidence": "coalesce(p_value, percent_performance) is not null",
            "fix_curves": "is_performance",
            "lifetime_comparisons": "coalesce(cliffs_delta, p_value) is not null",
            "link_sensitivity": "coalesce(cliffs_delta, p_value) is not null",
            "adjusted_tests": "p_value is not null",
        }.items()
    }
    assert max(len(performance), 3) < min(COMPARISON, CURVE, REGRESSION)
    assert estimated == dict.fromkeys(estimated, (0,))
