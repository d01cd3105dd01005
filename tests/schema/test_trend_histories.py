"""The monthly series against a count of every bug, over random histories of bugs."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perf_assets.base.months import add_months, end_of, month_of, months_between, start_of
from tests.effort import examples
from tests.model_database import ModelDatabase, Tables
from tests.rows import Row, bug, bugs, commit, event, link, loads, repository

START, TREND_START, LAST = "2020-01", "2020-03", "2020-06"


@pytest.fixture(scope="module")
def western() -> ModelDatabase:
    """A session behind UTC: its months end later."""
    return ModelDatabase("America/St_Johns")


# Month borders, the seconds around them, and moments between: where counts go wrong if at all.
MOMENTS = sorted(
    start_of(month) + shift
    for month in months_between(START, add_months(LAST, 1))
    for shift in (timedelta(0), timedelta(seconds=1), timedelta(days=9), timedelta(days=20))
) + [end_of(month) - timedelta(seconds=1) for month in months_between(START, LAST)]


@st.composite
def histories(draw: st.DrawFn) -> Row:
    """One bug report: when it opened, what then happened to it, and how it stands now."""
    opened = draw(st.sampled_from(MOMENTS))
    later = [moment for moment in MOMENTS if moment >= opened]
    moments = sorted(draw(st.lists(st.sampled_from(later), max_size=6)))
    turns = [("closed", "reopened")[index % 2] for index in range(len(moments))]
    happened = list(zip(turns, moments, strict=True))
    closed_at = moments[-1] if len(moments) % 2 else None
    if closed_at is not None and draw(st.booleans()):
        happened = happened[:-1]  # GitHub tells of the close only by closed_at
    repeated = draw(st.lists(st.sampled_from(happened), max_size=2)) if happened else []
    return {
        "opened": opened,
        "closed_at": closed_at,
        "happened": happened + repeated,
        "is_performance": draw(st.booleans()),
        "has_fix": draw(st.booleans()),
    }


def tables_of(reports: list[Row], loaded: list[Row]) -> Tables:
    """The raw rows in which these histories show."""
    pairs, events, links = [], [], []
    for number, report in enumerate(reports, start=1):
        closed_at = report["closed_at"]
        pairs.append(
            bug(
                number,
                report["opened"].isoformat(),
                closed_at and closed_at.isoformat(),
                is_performance=report["is_performance"],
            )
        )
        events += [
            event(number, kind, moment.isoformat(), event_id=f"{number} {index}")
            for index, (kind, moment) in enumerate(report["happened"])
        ]
        links += [link(number, "a")] if report["has_fix"] else []
    return {
        "meta.repositories": [repository(start=START, trend_start=TREND_START)],
        "meta.partition_loads": loaded,
        **bugs(*pairs),
        "raw.issue_events": events,
        "raw.commits": [commit("a", "2020-01-15T00:00:00Z", 1, 1)],
        "links.fix_links": links,
    }


def is_open_at(report: Row, moment: datetime) -> bool:
    """Follow the history second by second up to ``moment``."""
    turns = {(kind, when) for kind, when in report["happened"]}
    if report["closed_at"] is not None:
        turns.add(("closed", report["closed_at"]))
    seconds = sorted({when for _, when in turns})
    is_open = True
    for second in (second for second in seconds if second < moment):
        kinds = {kind for kind, when in turns if when == second}
        if second == seconds[-1]:
            is_open = report["closed_at"] is None
        elif len(kinds) == 1:
            is_open = kinds == {"reopened"}
    return is_open


def share(counts: tuple[int, int]) -> float | None:
    return 100 * counts[0] / counts[1] if counts[1] else None


def expected_month(reports: list[Row], month: str) -> tuple[Any, ...]:
    end = end_of(month)

    def count(condition: Callable[[Row], bool]) -> tuple[int, int]:
        found = [report for report in reports if condition(report)]
        return sum(report["is_performance"] for report in found), len(found)

    def fixed_at(report: Row) -> datetime | None:
        """The latest close as of the end of the month, of a bug that is fixed then."""
        if report["opened"] >= end or not report["has_fix"] or is_open_at(report, end):
            return None
        closes = [when for kind, when in report["happened"] if kind == "closed"]
        closes += [report["closed_at"]] if report["closed_at"] else []
        return max(when for when in closes if when < end)

    still_open = count(lambda report: report["opened"] < end and is_open_at(report, end))
    fixed = count(lambda report: fixed_at(report) is not None)
    opened = count(lambda report: month_of(report["opened"]) == month)
    newly_fixed = count(
        lambda report: (when := fixed_at(report)) is not None and month_of(when) == month
    )
    return (
        month,
        *still_open,
        share(still_open),
        *fixed,
        share(fixed),
        *opened,
        *newly_fixed,
    )


@pytest.mark.slow
@settings(
    max_examples=examples(10, 100),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(reports=st.lists(histories(), max_size=8), missing=st.none() | st.integers(0, 11))
def test_trend_equals_a_count_of_every_bug_at_the_end_of_every_month(
    western: ModelDatabase, reports: list[Row], missing: int | None
) -> None:
    loaded = loads(*months_between(START, LAST))
    kept = [row for index, row in enumerate(loaded) if index != missing]
    western.fill(tables_of(reports, kept))
    last = max(row["month"] for row in kept if row["table"] == "raw.issues")
    months = months_between(TREND_START, last)
    columns = (
        "month, open_performance, open_total, open_percentage, "
        "fixed_performance, fixed_total, fixed_percentage, "
        "opened_performance, opened_total, newly_fixed_performance, newly_fixed_total"
    )
    assert western.table("marts.trend_monthly", columns) == [
        expected_month(reports, month) for month in months
    ]
    gap = None if missing is None else loaded[missing]["month"]
    assert western.table("marts.trend_monthly", "month, is_complete") == [
        (month, gap is None or month < gap) for month in months
    ]


@pytest.mark.slow
@settings(max_examples=examples(5, 40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(reports=st.lists(histories(), max_size=8))
def test_once_everything_is_over_the_series_agrees_with_the_breakdown(
    western: ModelDatabase, reports: list[Row]
) -> None:
    western.fill(tables_of(reports, loads(*months_between(START, add_months(LAST, 1)))))
    last = western.table("marts.trend_monthly", "open_total, fixed_total", "month")[-1]
    breakdown = western.table("marts.dataset_breakdown", "sum(open)::int, sum(fixed)::int")
    assert breakdown == [last]
