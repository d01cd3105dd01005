"""The paper's tests against brute force, published examples and other implementations."""

import doctest
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.descriptivestats import sign_test
from statsmodels.stats.multitest import multipletests

from perf_assets.core.statistics import agreement, survival, trend
from perf_assets.core.statistics import samples as statistics
from perf_assets.core.statistics.samples import (
    cliffs_delta,
    cox_stuart,
    holm,
    magnitude,
    mann_whitney_u,
)
from tests.cliffs_delta import cliffs_delta_interval
from tests.effort import examples
from tests.paths import PYTORCH_PACKAGE

whole_numbers = st.integers(-20, 20).map(float)
samples = st.lists(whole_numbers, min_size=1, max_size=25)
series = st.lists(st.none() | whole_numbers, max_size=30)

# Cliff (1996), and the example of R's effsize::cliff.delta.
TREATMENT = [10, 10, 20, 20, 20, 30, 30, 30, 40, 50]
CONTROL = [10, 20, 30, 40, 40, 50]


@pytest.mark.parametrize("module", [agreement, statistics, survival, trend])
def test_the_examples_in_the_docstrings_hold(module):
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


# Cox-Stuart


def test_cox_stuart_gives_the_known_p_value_of_one_to_twelve():
    result = cox_stuart(range(1, 13))
    assert (result.n_pairs, result.n_positive, result.pvalue) == (6, 6, 0.03125)


@pytest.mark.parametrize(
    ("file", "n_positive", "pvalue"),
    [("open", 20, 0.0046776533), ("fixed", 23, 4.398822784e-05)],
)
def test_cox_stuart_reproduces_the_published_pytorch_series(file, n_positive, pvalue):
    path = PYTORCH_PACKAGE / f"pytorch_{file}_perf_trend_analysis.csv"
    if not path.exists():
        pytest.skip(f"the study's published data is not there: {path}")
    result = cox_stuart(pl.read_csv(path)["Percentage"], alternative="increasing")
    assert (result.n, result.n_pairs, result.n_positive) == (53, 26, n_positive)
    assert result.pvalue == pytest.approx(pvalue, rel=1e-8)


def test_cox_stuart_of_annual_precipitation_finds_four_of_nine_rises():
    # Conover (1999), Practical Nonparametric Statistics, in R's randtests::cox.stuart.test.
    precipitation = [45.25, 45.83, 41.77, 36.26, 45.37, 52.25, 35.37, 57.16, 35.37, 58.32]
    precipitation += [41.05, 33.72, 45.73, 37.90, 41.72, 36.07, 49.83, 36.24, 39.90]
    result = cox_stuart(precipitation)
    assert (result.n, result.n_pairs, result.n_positive, result.pvalue) == (19, 9, 4, 1.0)


def test_cox_stuart_never_exceeds_one_where_half_of_the_pairs_rise():
    # R's randtests gives p = 1.375 here (O. Oymak, Data Science Central, 2018), rightly 1.
    assert cox_stuart([1, 4, 6, 7, 9, 7, 1, 6]).pvalue == 1.0


def test_cox_stuart_drops_tied_pairs():
    # Days of frost in April, Munich 1957-1968 (Schoenwiese 1992), in R's trend vignette.
    result = cox_stuart([9, 12, 4, 3, 0, 4, 2, 1, 4, 2, 9, 7])
    assert (result.n_pairs, result.n_positive) == (5, 2)


def test_cox_stuart_drops_the_midpoint_of_an_odd_series():
    assert cox_stuart([1, 2, 99, 3, 4]) == cox_stuart([1, 2, -99, 3, 4])


@pytest.mark.parametrize("missing", [None, math.nan])
def test_cox_stuart_drops_a_missing_value_with_its_pair_and_moves_no_other(missing):
    result = cox_stuart([1, 2, missing, 4, 1, 6], alternative="increasing")
    # Pairs (1, 4), (2, 1) and (missing, 6).
    assert (result.n, result.n_pairs, result.n_positive) == (5, 2, 1)


@pytest.mark.parametrize("values", [[], [1.0], [1.0, None], [3, 3, 3, 3], [None, None]])
def test_cox_stuart_without_a_pair_gives_a_null_result(values):
    result = cox_stuart(values)
    assert result.n == sum(value is not None for value in values)
    assert (result.n_pairs, result.statistic, result.pvalue) == (0, None, None)


@given(series)
def test_cox_stuart_is_the_sign_test_of_the_halves(values):
    # Independent implementation: statsmodels' sign_test.
    half = len(values) // 2
    pairs = zip(values[:half], values[len(values) - half :], strict=True)
    changes = [late - early for early, late in pairs if early is not None and late is not None]
    result = cox_stuart(values)
    if any(changes):
        assert result.pvalue == pytest.approx(sign_test(np.array(changes))[1])
    else:
        assert result.pvalue is None


@given(series)
def test_cox_stuart_sees_in_a_mirrored_series_the_opposite_trend(values):
    mirrored = [None if value is None else -value for value in values]
    rising = cox_stuart(values, alternative="increasing")
    falling = cox_stuart(mirrored, alternative="decreasing")
    assert rising.pvalue == falling.pvalue
    assert rising.n_positive + falling.n_positive == rising.n_pairs


# Mann-Whitney U and Cliff's delta


def test_mann_whitney_u_agrees_with_the_example_of_scipy():
    # scipy.stats.mannwhitneyu: males and females diagnosed with diabetes, method="asymptotic".
    result = mann_whitney_u([19, 22, 16, 29, 24], [20, 11, 17, 12])
    assert result.statistic == 17
    assert result.pvalue == pytest.approx(0.11134688653314041)


@pytest.mark.parametrize(("x", "y"), [([], [1.0]), ([1.0], [None]), ([], [])])
def test_an_empty_sample_gives_null_results(x, y):
    test = mann_whitney_u(x, y)
    assert (test.statistic, test.pvalue) == (None, None)
    assert cliffs_delta(x, y) is None
    assert cliffs_delta_interval(x, y).statistic is None
    assert magnitude(None) is None


def test_samples_of_one_value_do_not_differ():
    assert mann_whitney_u([7, 7, 7], [7, 7]).pvalue == 1.0
    assert cliffs_delta([7, 7, 7], [7, 7]) == 0


@given(samples, samples)
def test_missing_values_are_dropped_from_samples(x, y):
    assert mann_whitney_u([None, *x, math.nan], y) == mann_whitney_u(x, y)
    assert cliffs_delta([None, *x, math.nan], y) == cliffs_delta(x, y)


@given(samples, samples)
def test_cliffs_delta_equals_its_pairwise_definition(x, y):
    pairs = np.sign(np.subtract.outer(x, y))
    assert cliffs_delta(x, y) == pytest.approx(pairs.mean(), abs=1e-12)


@given(samples, samples)
def test_cliffs_delta_is_the_rescaled_u(x, y):
    u = mann_whitney_u(x, y).statistic
    assert cliffs_delta(x, y) == pytest.approx(2 * u / (len(x) * len(y)) - 1, abs=1e-12)


@given(samples, samples)
def test_cliffs_delta_changes_only_its_sign_when_samples_are_swapped(x, y):
    assert cliffs_delta(x, y) == -cliffs_delta(y, x)


@given(samples, samples)
def test_cliffs_delta_depends_on_the_order_of_the_values_alone(x, y):
    stretched = cliffs_delta([value**3 + 7 for value in x], [value**3 + 7 for value in y])
    assert stretched == cliffs_delta(x, y)


def test_cliffs_delta_is_positive_when_the_first_sample_is_larger():
    assert cliffs_delta([5, 6], [1, 2]) == 1.0


def test_cliffs_delta_of_two_hundred_thousand_values_needs_no_pairwise_table():
    # 10**10 pairs would not fit in memory; evenly spread samples, shifted by a tenth.
    x = np.arange(100_000) + 10_000
    assert cliffs_delta(x, np.arange(100_000)) == pytest.approx(1 - 0.9**2, abs=1e-4)


@pytest.mark.parametrize(
    ("delta", "name"),
    [
        (0.0, "negligible"),
        (0.147, "negligible"),
        (-0.147, "negligible"),
        (0.1471, "small"),
        (0.33, "small"),
        (-0.3301, "medium"),
        (0.474, "medium"),
        (0.4741, "large"),
        (-1.0, "large"),
    ],
)
def test_a_bound_belongs_to_the_smaller_magnitude(delta, name):
    assert magnitude(delta) == name


def test_cliffs_delta_interval_agrees_with_effsize():
    # R effsize, tests/testCliff.Rout.save: cliff.delta(use.unbiased = FALSE, use.normal = TRUE)
    # of the same samples prints -0.25 (small), -0.7125351 to 0.3639999.
    result = cliffs_delta_interval(TREATMENT, CONTROL)
    assert result.statistic == -0.25
    assert (result.low, result.high) == pytest.approx((-0.7125351, 0.3639999), abs=5e-8)


def test_cliffs_delta_interval_of_disjoint_samples_ends_at_one():
    result = cliffs_delta_interval([7, 8, 9], [1, 2, 3])
    assert result.high == 1.0
    assert 0 < result.low < 1
    mirrored = cliffs_delta_interval([1, 2, 3], [7, 8, 9])
    assert (mirrored.low, mirrored.high) == (-1.0, pytest.approx(-result.low))


def test_cliffs_delta_interval_of_one_value_has_no_limits():
    result = cliffs_delta_interval([1], [2, 3])
    assert (result.statistic, result.low, result.high) == (-1.0, None, None)
    assert result.confidence == 0.95


@given(st.lists(whole_numbers, min_size=2, max_size=20), st.lists(whole_numbers, min_size=2))
def test_cliffs_delta_interval_holds_the_estimate_and_stays_within_one(x, y):
    result = cliffs_delta_interval(x, y)
    assert -1 - 1e-12 <= result.low <= result.statistic + 1e-12
    assert result.statistic - 1e-12 <= result.high <= 1 + 1e-12


@settings(max_examples=examples(25))
@given(st.integers(0, 10_000))
def test_a_higher_confidence_gives_a_wider_interval(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=12), rng.normal(size=9)
    narrow, wide = cliffs_delta_interval(x, y, 0.8), cliffs_delta_interval(x, y, 0.99)
    assert wide.low <= narrow.low <= narrow.high <= wide.high


def test_cliffs_delta_interval_covers_the_truth_about_as_often_as_it_says():
    # Two normal samples half a deviation apart: delta = 2 Phi(0.5 / sqrt 2) - 1.
    truth = 2 * stats.norm.cdf(0.5 / math.sqrt(2)) - 1
    rng = np.random.default_rng(11)
    covered = 0
    for _ in range(400):
        found = cliffs_delta_interval(rng.normal(0.5, 1, 40), rng.normal(0, 1, 30))
        covered += found.low <= truth <= found.high
    assert 0.92 <= covered / 400 <= 0.98


# Holm


@pytest.mark.slow
@settings(max_examples=examples(8))
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_agrees_with_statsmodels(pvalues):
    assert holm(pvalues) == pytest.approx(multipletests(pvalues, method="holm")[1])


def test_holm_leaves_untested_members_out_of_the_family():
    assert holm([None, 0.02, None]) == [None, 0.02, None]
    assert holm([]) == []
