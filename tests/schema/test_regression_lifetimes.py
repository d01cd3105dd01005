"""Regressions over their lives: back to the level before, said to be intended, and silences."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.model_database import ModelDatabase
from tests.rows import REPOSITORY, Row, benchmark_change, benchmark_result, commit, sha

FIRST = datetime(2020, 1, 1, tzinfo=UTC)
DAYS = 120


def change(day: int, ratio: float, level: float, name: str, **changes: Any) -> Row:
    """A step by ``ratio`` from ``level`` on, which came with the commit of that day."""
    row = benchmark_change(str(day - 1), str(day), day, ratio, name, **changes)
    return row | {"value_before": level, "value_after": level * ratio, "is_regression": ratio > 1}


def measured(*days: int, **changes: Any) -> list[Row]:
    """A result on the commit of each day."""
    rows = [benchmark_result(str(day), "2020-01", 1.0, **changes) for day in days]
    for day, row in zip(days, rows, strict=True):
        row["committed_at"] = row["measured_at"] = FIRST + timedelta(day)
    return rows


def filled(
    *changes: Row, results: list[Row] | None = None, states: tuple[Row, ...] = ()
) -> ModelDatabase:
    database = ModelDatabase()
    database.fill(
        {
            "raw.commits": [commit(str(day), FIRST + timedelta(day), 1, 0) for day in range(DAYS)],
            "raw.benchmark_results": results or measured(*range(DAYS)),
            "marts.benchmark_changes": list(changes),
            "reviews.regression_states": list(states),
        }
    )
    return database


def test_a_regression_is_over_when_half_of_its_series_are_back() -> None:
    others = [{"machine": machine} for machine in ("atom", "bora")]
    database = filled(
        change(10, 1.5, 1.0, "r1111111111"),
        *(change(10, 1.5, 1.0, "r1111111111", **other) for other in others),
        change(20, 0.67, 1.5, "r2222222222"),
        change(30, 0.8, 1.5, "r3333333333", **others[0]),  # not as far down as it was
        change(40, 0.83, 1.2, "r4444444444", **others[0]),
        results=[*measured(10), *(row for other in others for row in measured(10, **other))],
    )
    (row,) = database.table("marts.regression_lifetimes", "recovery_id, days_to_recovery")
    assert row == ("r4444444444", 30.0)


def test_a_regression_that_goes_on_has_no_end() -> None:
    database = filled(change(10, 1.5, 1.0, "r1111111111"), change(20, 0.9, 1.5, "r2222222222"))
    (row,) = database.table(
        "marts.regression_lifetimes", "recovery_id, recovered_at, regression_state, telling_issues"
    )
    assert row == (None, None, "new", 0)


def state(number: int, name: str, first: int, last: int) -> Row:
    return {
        "verdict_id": number,
        "rater": "Ann",
        "repository": REPOSITORY,
        "regression_id": "r0000000000",
        "first_sha": sha(str(first)),
        "last_sha": sha(str(last)),
        "regression_state": name,
        "imported_at": FIRST + timedelta(number),
        "file": "perf-assets regressions set",
        "file_sha256": "0" * 64,
        "line": 1,
    }


def test_a_state_stays_where_fewer_candidates_are_left_and_the_last_one_counts() -> None:
    steps = (
        change(10, 1.5, 1.0, "r1111111111"),
        change(50, 1.5, 1.5, "r2222222222"),
        change(90, 1.5, 2.2, "r3333333333"),
    )
    states = (state(1, "known", 5, 12), state(2, "intended", 8, 10), state(3, "known", 50, 50))
    database = filled(*steps, states=states)
    found = database.table("marts.regression_states", "regression_id, regression_state")
    assert found == [("r1111111111", "intended"), ("r2222222222", "known"), ("r3333333333", "new")]


@pytest.mark.parametrize(
    ("results", "silent"),
    [
        (measured(*range(DAYS)), []),
        (measured(*range(100)), [(True, 0, 20.0)]),
        (measured(*range(115)), []),  # four days are no silence
        (measured(0, 1, 2, 3), []),  # of so few results no habit is known
        (measured(*range(0, 100, 10)) + measured(101), []),  # every ten days is usual
        (
            measured(*range(DAYS)) + measured(*range(60), benchmark="b.time_old"),
            [(False, 1, 60.0)],
        ),
    ],
)
def test_what_is_silent_for_longer_than_usual(results: list[Row], silent: list[Any]) -> None:
    database = filled(results=results)
    columns = "is_machine, silent_benchmarks, silent_days"
    assert database.table("marts.benchmark_silences", columns) == silent
