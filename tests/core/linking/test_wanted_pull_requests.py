"""Which pull requests are read: within a bound that follows from the data, the best first."""

from random import Random

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.core.linking.wanted_pull_requests import (
    BUG,
    OTHER,
    PERFORMANCE,
    most_pull_requests,
    wanted_pull_requests,
)

SCHEMA = {"pull_request": pl.Int64, "month": pl.String, "priority": pl.Int64}
CANDIDATES = st.dictionaries(
    st.integers(1, 60), st.sampled_from((PERFORMANCE, BUG, OTHER)), max_size=40
)


def frame(priorities: dict[int, int]) -> pl.DataFrame:
    rows = [(number, "2020-01", priority) for number, priority in priorities.items()]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


@pytest.mark.parametrize(
    ("issues", "most"), [(0, 200), (1, 200), (1000, 200), (1001, 400), (20_000, 4000)]
)
def test_two_requests_of_a_hundred_are_spent_for_each_begun_thousand_of_issues(
    issues: int, most: int
) -> None:
    assert most_pull_requests(issues) == most


def test_performance_work_comes_first_and_then_the_newest() -> None:
    candidates = frame({1: PERFORMANCE, 2: BUG, 3: BUG, 4: OTHER, 5: PERFORMANCE, 6: BUG})
    wanted, left_out = wanted_pull_requests(candidates, 3)
    assert wanted["pull_request"].to_list() == [5, 1, 6]
    assert left_out == 2


@given(CANDIDATES, st.integers(0, 50), st.randoms())
def test_the_wanted_ones_depend_on_the_data_alone_and_none_is_better_than_they(
    priorities: dict[int, int], most: int, chance: Random
) -> None:
    wanted, left_out = wanted_pull_requests(frame(priorities), most)
    shuffled = list(priorities.items())
    chance.shuffle(shuffled)
    again, _ = wanted_pull_requests(frame(dict(shuffled)), most)
    assert wanted.equals(again)
    read = set(wanted["pull_request"])
    studied = {number for number, priority in priorities.items() if priority != OTHER}
    assert read <= studied and len(read) == min(most, len(studied))
    assert left_out == len(studied) - len(read)
    worst = max(((priorities[one], -one) for one in read), default=(0, 0))
    assert all((priorities[one], -one) > worst for one in studied - read)


@given(CANDIDATES)
def test_without_a_bound_all_are_wanted(priorities: dict[int, int]) -> None:
    wanted, left_out = wanted_pull_requests(frame(priorities), None)
    assert (set(wanted["pull_request"]), left_out) == (priorities.keys(), 0)
