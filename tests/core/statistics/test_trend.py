"""Mann-Kendall and Sen's slope against other implementations of the same formulas."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.datasets import nile
from statsmodels.tsa.stattools import acf

from perf_assets.core.statistics.trend import mann_kendall

NILE = nile.load_pandas().data["volume"].to_numpy()
"""Annual flow of the Nile at Aswan 1871-1970, the example of R's trend::mk.test."""

values = st.lists(st.integers(-8, 8).map(float), min_size=3, max_size=40).filter(
    lambda series: len(set(series)) > 1
)


def score_and_variance(series):
    """Kendall's S and its variance with ties, from the definitions in trend::mk.test's manual."""
    n = len(series)
    score = sum(np.sign(series[j] - series[i]) for j in range(n) for i in range(j))
    ties = np.unique(series, return_counts=True)[1]
    variance = (n * (n - 1) * (2 * n + 5) - np.sum(ties * (ties - 1) * (2 * ties + 5))) / 18
    return score, variance


def hamed_rao_factor(series):
    """n / n* of Hamed and Rao (1998), formula 6, over the significant lags, by statsmodels' acf."""
    n = len(series)
    slope = stats.theilslopes(series)[0]
    ranks = stats.rankdata(series - slope * np.arange(n))
    correlations = acf(ranks, nlags=n - 1, fft=False)
    bound = stats.norm.ppf(0.975) / math.sqrt(n)
    lags = [lag for lag in range(1, n) if abs(correlations[lag]) > bound]
    total = sum((n - lag) * (n - lag - 1) * (n - lag - 2) * correlations[lag] for lag in lags)
    return 1 + 2 * total / (n * (n - 1) * (n - 2))


@given(values)
def test_uncorrected_mann_kendall_follows_its_definition(series):
    score, variance = score_and_variance(series)
    z = (score - np.sign(score)) / math.sqrt(variance)
    result = mann_kendall(series, correction="none")
    assert result.statistic == pytest.approx(z)
    assert result.pvalue == pytest.approx(2 * stats.norm.sf(abs(z)))
    assert result.slope == pytest.approx(stats.theilslopes(series)[0])


def test_the_hamed_rao_correction_widens_the_variance_of_the_nile_series():
    score, variance = score_and_variance(NILE)
    result = mann_kendall(NILE)
    factor = hamed_rao_factor(NILE)
    assert factor > 2
    assert result.statistic == pytest.approx((score + 1) / math.sqrt(variance * factor))
    assert result.slope == pytest.approx(-2.6)
    assert result.pvalue > 100 * mann_kendall(NILE, correction="none").pvalue


def test_a_random_walk_is_called_a_trend_less_often_with_the_correction():
    rng = np.random.default_rng(5)
    walks = [np.cumsum(rng.normal(size=60)) for _ in range(80)]

    def found(correction):
        tests = [mann_kendall(walk, correction=correction) for walk in walks]
        return sum(test.pvalue is not None and test.pvalue < 0.05 for test in tests)

    assert found("hamed_rao") < 0.9 * found("none")


@given(values, st.sampled_from(["none", "hamed_rao"]))
def test_one_sided_p_values_of_opposite_directions_add_up_to_one(series, correction):
    rising = mann_kendall(series, "increasing", correction)
    falling = mann_kendall(series, "decreasing", correction)
    if rising.pvalue is None:
        assert falling.pvalue is None
    else:
        assert rising.pvalue + falling.pvalue == pytest.approx(1)
        both = mann_kendall(series, "two-sided", correction)
        assert both.pvalue == pytest.approx(2 * min(rising.pvalue, falling.pvalue))


@pytest.mark.parametrize("series", [[], [1.0, 2.0], [4.0] * 9, [None, 1.0, None, 2.0]])
def test_too_few_or_constant_values_give_a_null_result(series):
    result = mann_kendall(series)
    assert result.n == sum(value is not None for value in series)
    assert (result.statistic, result.pvalue, result.slope) == (None, None, None)
    assert result.alternative == "two-sided"


def test_missing_values_leave_the_test_but_keep_time_for_the_slope():
    whole = [2.0 * month for month in range(20)]
    holed = [None if month in (3, 4, 11) else value for month, value in enumerate(whole)]
    result = mann_kendall(holed, correction="none")
    assert (result.n, result.tau, result.slope) == (17, 1.0, 2.0)
