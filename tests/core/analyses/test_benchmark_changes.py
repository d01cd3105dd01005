"""Steps of benchmark results: those that were planted are found, and chance gives next to none."""

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.core.analyses.benchmark_changes import (
    LEAST_RATIO,
    LEAST_RESULTS,
    benchmark_changes,
    steps,
)
from perf_assets.core.analyses.regressions import with_regressions
from perf_assets.core.statistics.samples import Floats
from perf_assets.schema import schema_of
from tests.model_database import ModelDatabase
from tests.rows import REPOSITORY, commit

FIRST = datetime(2020, 1, 1, tzinfo=UTC)
SHAS = [f"{number:040x}" for number in range(40)]


def noisy(*levels: tuple[float, int], spread: float = 0.01, seed: int = 7) -> Floats:
    """Results of ``levels``, each so many times, with a noise of ``spread`` of the level."""
    generator = np.random.default_rng(seed)
    parts = [level * (1 + spread * generator.standard_normal(number)) for level, number in levels]
    return np.concatenate(parts)


@pytest.mark.parametrize("ratio", [0.5, 0.8, 1.2, 2.0])
def test_a_planted_step_is_found_where_it_is(ratio: float) -> None:
    (step,) = steps(noisy((1e-6, 20), (1e-6 * ratio, 15)))
    assert (step.before, step.at, step.results_before, step.results_after) == (19, 20, 20, 15)
    assert step.ratio_low <= ratio <= step.ratio_high
    assert step.value_after / step.value_before == pytest.approx(ratio, rel=0.02)


@pytest.mark.parametrize(
    "values",
    [
        noisy((1.0, 40)),
        noisy((1.0, 20), (1.03, 20), spread=0.001),  # too small
        noisy((1.0, 20), (2.0, 2), (1.0, 20)),  # two disturbed measurements
        noisy((1.0, 20), (0.0, 20)),
        noisy((-1.0, 20), (1.0, 20)),
        np.array([1.0, 1.0, 1.0, 2.0, 2.0]),
        np.array([]),
    ],
)
def test_what_is_no_step(values: Floats) -> None:
    assert list(steps(values)) == []


@given(
    values=st.lists(st.floats(1e-12, 1e12), max_size=40).map(np.array),
    factor=st.sampled_from([0.25, 1.0, 1024.0]),
)
def test_steps_of_any_series_are_in_order_and_have_no_unit(values: Floats, factor: float) -> None:
    found = list(steps(values))
    assert [step.at for step in found] == sorted({step.at for step in found})
    for step in found:
        ratio = step.value_after / step.value_before
        assert max(ratio, 1 / ratio) >= LEAST_RATIO * (1 - 1e-12)
        assert min(step.results_before, step.results_after) >= LEAST_RESULTS
        assert step.ratio_low <= ratio * (1 + 1e-12) and ratio <= step.ratio_high * (1 + 1e-12)
    assert [step.at for step in steps(values * factor)] == [step.at for step in found]


def result(number: int, value: float, **changes: Any) -> dict[str, Any]:
    row = {
        "repository": REPOSITORY,
        "benchmark": "b.time_sum",
        "benchmark_parameters": "",
        "machine": "i7",
        "environment": "py",
        "sha": SHAS[number],
        "committed_at": FIRST,
        "measured_at": FIRST,
        "measured_value": value,
        "unit": "seconds",
        "benchmark_version": "1",
        "is_higher_better": False,
        "month": "2020-01",
    }
    return row | changes


def found(*results: dict[str, Any]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The changes and the regressions of results on the first commits."""
    database = ModelDatabase()
    commits = [
        commit(str(number), FIRST + timedelta(number), 1, 0, sha=sha)
        for number, sha in enumerate(SHAS)
    ]
    rows = {"raw.commits": commits, "raw.benchmark_results": list(results)}
    database.fill(rows)
    axis = database.connection.sql("from intermediate.commit_positions").pl()
    changes = benchmark_changes(
        database.connection.sql("from intermediate.benchmark_points").pl(),
        database.connection.sql("from intermediate.benchmark_series").pl(),
        axis,
    )
    assert changes.schema == schema_of("marts.benchmark_changes")
    database.fill(rows | {"marts.benchmark_changes": changes.to_dicts()})
    return changes, database.connection.sql("from marts.regressions").pl()


def stepping(at: int, to: float = 2.0, every: int = 1, **changes: Any) -> list[dict[str, Any]]:
    """Results on every commit, or every so many, that step ``to`` a value at a commit."""
    return [
        result(number, to if number >= at else 1.0, **changes) for number in range(0, 40, every)
    ]


def test_a_step_names_the_commits_that_may_have_brought_it() -> None:
    changes, _ = found(*stepping(21, every=4))
    columns = ("last_sha_before", "sha", "first_position", "last_position", "ratio")
    assert changes.select(columns).rows() == [(SHAS[20], SHAS[24], 21, 24, 2.0)]
    assert changes["is_regression"].to_list() == [True]
    more, _ = found(*stepping(20, 0.5, is_higher_better=True))
    assert more["is_regression"].to_list() == [True]


def test_another_machine_code_or_unit_is_no_step() -> None:
    for change in (
        {"machine": "atom"},
        {"environment": "py4"},
        {"benchmark_version": "2"},
        {"unit": "ms"},
    ):
        results = [result(number, 1.0) for number in range(20)]
        results += [result(number, 2.0, **change) for number in range(20, 40)]
        assert found(*results)[0].is_empty()


def test_of_two_results_on_a_commit_the_newest_counts() -> None:
    again = [result(number, 1.0, measured_at=FIRST + timedelta(1)) for number in range(20, 40)]
    assert found(*stepping(20), *again)[0].is_empty()


def test_results_of_commits_that_the_branch_lacks_are_on_no_axis() -> None:
    stray = [result(0, 9.0, sha=f"{number:040x}") for number in range(100, 140)]
    changes, _ = found(*stepping(20), *stray)
    assert changes["sha"].to_list() == [SHAS[20]]


def test_steps_at_the_same_commits_are_one_regression() -> None:
    _, groups = found(
        *stepping(21, every=4),
        *stepping(23, 3.0, benchmark="b.time_sort", machine="atom"),
        *stepping(30, 3.0, benchmark="b.time_late"),
        *stepping(23, 0.5, benchmark="b.time_better"),
    )
    columns = (
        *("is_regression", "first_sha", "last_sha", "candidate_commits", "changed_benchmarks"),
        *("machines", "median_ratio", "largest_benchmark"),
    )
    assert groups.sort("is_regression", "first_position").select(columns).rows() == [
        (False, SHAS[23], SHAS[23], 1, 1, 1, 0.5, "b.time_better"),
        (True, SHAS[23], SHAS[23], 1, 2, 2, 2.5, "b.time_sort"),
        (True, SHAS[30], SHAS[30], 1, 1, 1, 3.0, "b.time_late"),
    ]


@given(
    ranges=st.lists(
        st.tuples(st.integers(1, 30), st.integers(0, 9)).map(lambda pair: (pair[0], sum(pair))),
        min_size=1,
        max_size=12,
    )
)
def test_every_change_is_in_one_group_with_a_common_commit(ranges: list[tuple[int, int]]) -> None:
    rows = [
        {
            "repository": REPOSITORY,
            "is_regression": True,
            "first_position": first,
            "last_position": last,
            "sha": SHAS[last],
        }
        for first, last in ranges
    ]
    grouped = with_regressions(pl.DataFrame(rows))
    assert grouped["last_position"].to_list() == [last for _, last in ranges]
    groups = grouped.group_by("regression_id").agg(
        pl.max("first_position"), pl.min("last_position")
    )
    assert (groups["first_position"] <= groups["last_position"]).all()
    points = sorted(groups["last_position"])
    assert all(any(first <= point <= last for point in points) for first, last in ranges)
