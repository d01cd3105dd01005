"""Change points: planted ones are found at their month, and without one nothing is."""

import numpy as np
import pytest
import ruptures
from hypothesis import given
from hypothesis import strategies as st
from ruptures.base import BaseCost

from perf_assets.core.statistics import change_points as module
from perf_assets.core.statistics.change_points import (
    LEAST_MONTHS,
    SHORTEST_MONTHS,
    Change,
    Floats,
    MonthlySeries,
    change_points,
)

COUNTS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=60)

LEVEL = st.tuples(st.integers(3, 25), st.floats(0.05, 0.9))


def of_shares(*levels: tuple[int, float], size: int = 20, seed: int = 1) -> MonthlySeries:
    """Months in order, so many of each share."""
    draw = np.random.default_rng(seed)
    shares = np.concatenate([np.full(months, share) for months, share in levels])
    totals = draw.poisson(size, len(shares))
    return MonthlySeries("share", draw.binomial(totals, shares).astype(float), totals.astype(float))


def at(found: list[Change]) -> list[int]:
    return [change.at for change in found]


def test_two_planted_changes_are_found_with_their_sides() -> None:
    found = change_points(of_shares((30, 0.1), (12, 0.5), (20, 0.1), size=30))
    assert at(found) == [30, 42]
    assert [(one.start, one.end) for one in found] == [(0, 42), (30, 62)]
    assert all(one.gain > one.threshold > 10.8 and one.p_value < 0.001 for one in found)


def test_a_change_that_is_undone_soon_is_found_though_one_change_alone_gains_little() -> None:
    found = change_points(of_shares((30, 0.2), (5, 0.75), (30, 0.2), size=25))
    assert at(found) == [30, 35]


def test_scores_of_times_have_changes_too() -> None:
    draw = np.random.default_rng(2)
    totals = np.full(40, 8.0)
    means = np.repeat([-0.4, 0.6], [25, 15])
    found = change_points(
        MonthlySeries("scores", totals * means + draw.normal(0, 8**0.5, 40), totals)
    )
    assert at(found) == [25]


def test_without_a_change_one_history_in_a_hundred_has_one() -> None:
    found = [change_points(of_shares((60, 0.15), seed=seed)) for seed in range(400)]
    assert sum(map(bool, found)) <= 10  # of Poisson(4) 99.7 % are below


def test_months_that_hand_on_their_level_raise_few_alarms() -> None:
    alarms = 0
    for seed in range(200):
        draw = np.random.default_rng(seed)
        moved = np.zeros(60)
        for month in range(1, 60):
            moved[month] = 0.5 * moved[month - 1] + draw.normal(0, 0.3)
        totals = draw.poisson(20, 60)
        events = draw.binomial(totals, 1 / (1 + np.exp(1.7 - moved)))
        alarms += bool(change_points(MonthlySeries("share", events * 1.0, totals * 1.0)))
    assert alarms <= 20  # taken for independent they are three times as many


def test_one_odd_month_is_not_a_change() -> None:
    series = of_shares((48, 0.5), size=10)
    events, totals = series.events.copy(), series.totals.copy()
    events[30], totals[30] = 0, 200  # a bot closed all old ones
    assert change_points(MonthlySeries("share", events, totals)) == []


def test_a_change_is_not_seen_before_it_has_lasted() -> None:
    whole = of_shares((30, 0.1), (SHORTEST_MONTHS, 0.9), size=40)
    shorter = MonthlySeries("share", whole.events[:-1], whole.totals[:-1])
    assert at(change_points(whole)) == [30]
    assert 30 not in at(change_points(shorter))


def test_too_few_months_with_events_have_no_change_and_cost_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_segment_costs", lambda _: pytest.fail("computed"))
    months = np.repeat([0.0, 9.0], LEAST_MONTHS - 1)
    assert change_points(MonthlySeries("share", months / 9, months)) == []


def test_without_a_change_nothing_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_segment_ends", lambda *_: pytest.fail("searched"))
    months = np.full(60, 20.0)
    assert change_points(MonthlySeries("share", months / 4, months)) == []


class Looked(BaseCost):  # type: ignore[misc]
    """The costs of segments as ruptures asks for them."""

    model = "looked up"
    min_size = SHORTEST_MONTHS

    def __init__(self, costs: Floats) -> None:
        self.costs = costs

    def fit(self, signal: Floats) -> "Looked":
        self.signal = signal
        return self

    def error(self, start: int, end: int) -> float:
        return float(self.costs[start, end])


def by_ruptures(costs: Floats, penalty: float) -> list[int]:
    search = ruptures.Pelt(custom_cost=Looked(costs), min_size=SHORTEST_MONTHS, jump=1)
    ends: list[int] = search.fit(np.zeros((len(costs) - 1, 1))).predict(pen=penalty)
    return ends


@given(
    st.lists(st.tuples(st.integers(3, 25), st.floats(0.05, 0.9)), max_size=5), st.integers(0, 99)
)
def test_the_segments_are_those_that_ruptures_finds(
    levels: list[tuple[int, float]], seed: int
) -> None:
    series = of_shares((20, 0.2), *levels, seed=seed)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "_segment_ends", by_ruptures)
        expected = change_points(series)
    assert change_points(series) == expected


@given(COUNTS, st.sampled_from(["share", "scores"]))
def test_whatever_the_counts_are_the_sides_of_changes_are_long_enough_and_in_order(
    counts: list[tuple[int, int]], kind: str
) -> None:
    events = np.array([min(k, n) for k, n in counts], dtype=float)
    totals = np.array([n for _, n in counts], dtype=float)
    found = change_points(MonthlySeries(kind, events, totals))
    for change in found:
        assert change.at - change.start >= SHORTEST_MONTHS <= change.end - change.at
        assert change.gain > change.threshold > 0 and 0 <= change.p_value < 0.001
    assert at(found) == sorted(set(at(found)))
    again = change_points(MonthlySeries(kind, events, totals))
    assert found == again
