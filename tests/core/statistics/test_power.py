"""Power: sample sizes of the textbooks, rates of rejection of simulated tests, and directions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from perf_assets.core.statistics.power import (
    DELTA,
    LEVEL,
    ODDS_RATIO,
    RATE_RATIO,
    curves_power,
    power,
    ratio_power,
)
from perf_assets.core.statistics.strata import alone, compare_strata

SIZES = st.integers(1, 400)


def rank_sum_power(n_x: int, n_y: int, design_effect: float = 1.0) -> float | None:
    """By Noether (1987), from the variance of Cliff's delta where the groups are alike."""
    if min(n_x, n_y) < 1:
        return None
    return power(DELTA, math.sqrt(design_effect * (n_x + n_y + 1) / (3 * n_x * n_y)))


@pytest.mark.parametrize(
    ("z", "expected"), [(0.0, 0.05), (1.959964, 0.500044), (2.801585, 0.8), (3.241516, 0.9)]
)
def test_power_by_standard_errors_is_that_of_the_tables(z: float, expected: float) -> None:
    assert power(z, 1.0) == pytest.approx(expected, abs=1e-5)
    assert power(-3 * z, 3.0) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("error", [0.0, -1.0, math.nan, math.inf])
def test_without_an_error_there_is_no_power(error: float) -> None:
    assert power(1.0, error) is None


def test_the_rank_sum_test_needs_as_many_as_noether_says() -> None:
    # N = (z of the level + z of the power)^2 / (12 c (1 - c) (P(X > Y) - 1/2)^2), halves: c = 1/2.
    z = stats.norm.isf(LEVEL / 2) + stats.norm.isf(0.2)
    noether = z**2 / (3 * (DELTA / 2) ** 2)
    needed = next(n for n in range(2, 200) if rank_sum_power(n, n) >= 0.8)
    assert noether == pytest.approx(96.1, abs=0.05)
    assert 2 * needed == pytest.approx(noether, abs=2)


@pytest.mark.parametrize(("n_x", "n_y"), [(30, 30), (15, 120)])
def test_simulated_rank_sum_tests_find_the_effect_as_often(n_x: int, n_y: int) -> None:
    # Normal values that are so far apart have P(X > Y) - P(X < Y) = DELTA.
    shift = math.sqrt(2) * stats.norm.ppf((1 + DELTA) / 2)
    random = np.random.default_rng(11)
    x, y = random.normal(shift, 1, (2_000, n_x)), random.normal(0, 1, (2_000, n_y))
    found = stats.mannwhitneyu(x, y, axis=1, method="asymptotic").pvalue <= LEVEL
    assert rank_sum_power(n_x, n_y) == pytest.approx(found.mean(), abs=0.04)


@given(SIZES, SIZES, st.floats(1, 5))
def test_rank_sum_power_rises_with_the_values_and_falls_with_shared_commits(
    n_x: int, n_y: int, design_effect: float
) -> None:
    found = rank_sum_power(n_x, n_y)
    assert LEVEL < found < 1 or found == pytest.approx(1)
    assert found == pytest.approx(rank_sum_power(n_y, n_x))
    assert rank_sum_power(n_x + 1, n_y + 1) >= found
    assert rank_sum_power(n_x, n_y, design_effect) <= found


def test_an_empty_group_has_no_power() -> None:
    assert rank_sum_power(0, 9) is rank_sum_power(9, 0) is None


def test_the_error_of_a_comparison_without_ties_is_that_of_the_rank_sum_test() -> None:
    found = compare_strata([alone(list(range(0, 20, 2)), list(range(1, 60, 2)))])
    assert found.null_error is not None
    assert power(DELTA, found.null_error) == pytest.approx(rank_sum_power(10, 30))
    assert rank_sum_power(50, 50) == pytest.approx(0.81, abs=0.005)


def test_curves_need_as_many_events_as_schoenfeld_says() -> None:
    # 4 (1.96 + 0.84)^2 / log(1.5)^2 = 191 events of two equal groups, of groups of 1 to 3 a third
    # more.
    assert RATE_RATIO == 1.5
    assert curves_power(190, 0.5) < 0.8 < curves_power(191, 0.5)
    assert curves_power(254, 0.25) < 0.8 < curves_power(255, 0.25)


@given(st.integers(1, 2_000), st.floats(0.01, 0.5))
def test_power_of_curves_rises_with_the_events_and_with_equal_groups(
    events: int, share: float
) -> None:
    found = curves_power(events, share)
    assert curves_power(events + 1, share) >= found
    assert curves_power(events, 1 - share) == pytest.approx(found)
    assert curves_power(events, 0.5) >= found - 1e-12


@pytest.mark.parametrize(("events", "share"), [(0, 0.5), (9, 0.0), (9, 1.0)])
def test_curves_of_one_group_have_no_power(events: int, share: float) -> None:
    assert curves_power(events, share) is None


@given(st.floats(0.2, 5), st.floats(0.01, 2))
def test_power_for_a_ratio_is_read_from_its_interval_wherever_that_lies(
    ratio: float, error: float
) -> None:
    reach = stats.norm.isf(LEVEL / 2) * error
    found = ratio_power(ODDS_RATIO, ratio * math.exp(-reach), ratio * math.exp(reach))
    assert found == pytest.approx(power(math.log(2) / 3, error))
    wider = ratio_power(ODDS_RATIO, ratio * math.exp(-2 * reach), ratio * math.exp(2 * reach))
    assert wider <= found + 1e-12


@pytest.mark.parametrize("limits", [(None, 1.0), (1.0, None), (0.0, 1.0), (2.0, 1.0), (1.0, 1.0)])
def test_without_an_interval_of_positive_width_there_is_no_power(
    limits: tuple[float | None, float | None],
) -> None:
    assert ratio_power(1.5, *limits) is None
