"""Correlations at lags: against scipy, planted leads, and series that have nothing in common."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from perf_assets.core.statistics.lags import lagged_correlations, without_trend

LAGS = range(-12, 13)


def noise(seed: int, n: int = 60) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=n)


def counts(seed: int, n: int = 60, base: float = 12) -> np.ndarray:
    """Months that rise and fall, each with chance of its own."""
    slow = np.exp(np.sin(np.linspace(0, 2.5, n)))
    return np.random.default_rng(seed).poisson(base * slow).astype(float)


@pytest.mark.slow
@given(st.integers(0, 1000))
def test_each_correlation_is_that_of_scipy_over_the_pairs_of_its_lag(seed: int) -> None:
    x, y = noise(seed, 40).round(1), noise(seed + 5000, 40).round(1)
    for found in lagged_correlations(x, y, LAGS, 6, replicates=20):
        earlier = x[: len(x) - found.lag] if found.lag >= 0 else x[-found.lag :]
        later = y[found.lag :] if found.lag >= 0 else y[: len(y) + found.lag]
        assert found.n == len(earlier) == len(later)
        assert found.statistic == pytest.approx(stats.spearmanr(earlier, later).statistic)


@pytest.mark.parametrize("lag", [-7, 0, 3, 12])
def test_a_planted_lead_is_found_and_nothing_else(lag: int) -> None:
    series = noise(1, 120)
    x, y = series[12:108], series[12 - lag : 108 - lag] + 0.3 * noise(2, 96)
    outside = [
        found.lag
        for found in lagged_correlations(x, y, LAGS, 6)
        if found.statistic is not None and abs(found.statistic) > (found.band or 0)
    ]
    assert outside == [lag]


@pytest.mark.slow
def test_series_that_have_nothing_in_common_stay_within_the_band_about_as_often_as_it_says() -> (
    None
):
    inside = sum(
        all(
            abs(found.statistic) <= found.band
            for found in lagged_correlations(
                without_trend(counts(seed), 24),
                without_trend(counts(seed + 1000), 24),
                LAGS,
                6,
                replicates=200,
            )
        )
        for seed in range(60)
    )
    assert 52 <= inside <= 60


def test_the_same_series_give_the_same_band_and_more_lags_a_wider_one() -> None:
    x, y = noise(3), noise(4)
    one = lagged_correlations(x, y, LAGS, 6)
    assert one == lagged_correlations(x, y, LAGS, 6)
    (alone,) = lagged_correlations(x, y, [0], 6)
    assert alone.band < one[12].band
    # Fewer pairs, wider band.
    assert one[0].band == one[24].band > one[12].band
    assert one[12].band * np.sqrt(60) == pytest.approx(one[0].band * np.sqrt(48))


def test_to_turn_both_series_around_turns_the_lags_around() -> None:
    x, y = noise(5), noise(6)
    forth = [found.statistic for found in lagged_correlations(x, y, LAGS, 6, replicates=5)]
    back = [found.statistic for found in lagged_correlations(y, x, LAGS, 6, replicates=5)]
    assert forth == pytest.approx(back[::-1])


def test_a_series_that_does_not_vary_has_no_correlation() -> None:
    for found in lagged_correlations(np.zeros(40), noise(7, 40), LAGS, 6):
        assert found.statistic is found.band is None
        assert found.n == 40 - abs(found.lag)


# What is left without slow moves


@given(st.floats(-0.02, 0.05), st.floats(0, 5))
def test_steady_growth_leaves_nothing(growth: float, start: float) -> None:
    series = np.exp(start + growth * np.arange(60)) - 1
    assert (
        without_trend(np.clip(series, 0, None), 24).tolist() == pytest.approx([0.0] * 60, abs=1e-6)
        or (series < 0).any()
    )


def test_a_series_that_is_nothing_but_trend_has_nothing_to_rank() -> None:
    assert set(without_trend([7.0] * 48, 24)) == {0.0}


def test_each_local_line_is_that_of_a_weighted_least_squares_fit() -> None:
    series = counts(8)
    logs, places = np.log1p(series), np.arange(60)
    for index, left in enumerate(without_trend(series, 24)):
        weights = np.clip(1 - np.abs((places - index) / 25) ** 3, 0, None) ** 3
        line = np.polyfit(places, logs, 1, w=np.sqrt(weights))
        assert left == pytest.approx(logs[index] - np.polyval(line, index), abs=1e-8)


def test_a_month_alone_has_nothing_to_compare_with() -> None:
    assert without_trend([5.0], 24).tolist() == [0.0]
