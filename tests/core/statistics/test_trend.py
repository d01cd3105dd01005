"""Trends of a share: regression against statsmodels, the test of Armitage against permutation."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

from perf_assets.core.statistics.trend import binomial_regression, cochran_armitage
from tests.effort import examples

points = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=6, max_size=30)


def counts(rows):
    successes = np.array([yes for yes, _ in rows])
    return successes, successes + np.array([no for _, no in rows])


def fitted(successes, totals, columns):
    model = sm.GLM(
        np.column_stack([successes, totals - successes]), columns, family=sm.families.Binomial()
    )
    return model.fit(scale=1.0)


def drawn(seed, points=40, spread=0.0):
    random = np.random.default_rng(seed)
    totals = random.integers(5, 200, points)
    years = np.arange(points) / 12
    share = np.clip(0.1 + 0.02 * years + random.normal(0, spread, points), 0.001, 0.999)
    return random.binomial(totals, share), totals, years


@pytest.mark.parametrize("spread", [0.0, 0.06])
@pytest.mark.parametrize("seed", range(5))
def test_the_regression_is_that_of_statsmodels(seed, spread):
    successes, totals, years = drawn(seed, spread=spread)
    expected = fitted(successes, totals, sm.add_constant(years))
    found = binomial_regression(successes, totals, years)
    share = successes / totals
    variance = expected.fittedvalues * (1 - expected.fittedvalues) / totals
    dispersion = np.sum((share - expected.fittedvalues) ** 2 / variance) / (len(totals) - 2)
    assert found.odds_ratio == pytest.approx(np.exp(expected.params[1]))
    assert found.dispersion == pytest.approx(dispersion)
    error = expected.bse[1] * np.sqrt(max(1, dispersion))
    assert found.statistic == pytest.approx(expected.params[1] / error)
    assert np.log(found.high / found.low) / error == pytest.approx(2 * 1.96, abs=0.15)
    if dispersion <= 1:
        assert found.pvalue == pytest.approx(expected.pvalues[1])


def test_over_dispersed_counts_have_wider_limits_and_a_larger_p():
    successes, totals, years = drawn(1, spread=0.08)
    found = binomial_regression(successes, totals, years)
    plain = fitted(successes, totals, sm.add_constant(years))
    assert found.dispersion > 2
    assert found.pvalue > plain.pvalues[1]


def test_strata_have_a_level_of_their_own_and_one_trend():
    first, second = drawn(3), drawn(4, points=25)
    successes, totals, years = (np.concatenate(pair) for pair in zip(first, second, strict=True))
    strata = np.repeat([7, 9], [40, 25])
    found = binomial_regression(successes, totals, years, strata)
    columns = np.column_stack([strata == 7, strata == 9, years]).astype(float)
    expected = fitted(successes, totals, columns)
    assert found.odds_ratio == pytest.approx(np.exp(expected.params[2]))
    own = fitted(successes, totals, np.column_stack([columns, years * (strata == 9)]))
    assert (found.heterogeneity_pvalue < 0.05) == (expected.deviance - own.deviance > 4)


def test_trends_that_go_apart_are_distinguished_from_trends_that_do_not():
    years = np.tile(np.arange(30) / 12, 2)
    totals = np.full(60, 200)
    rising, falling = (200 * (0.2 + way * 0.05 * years[:30]) for way in (1, -1))
    strata = np.repeat([0, 1], 30)
    apart = binomial_regression([*rising, *falling], totals, years, strata)
    together = binomial_regression([*rising, *rising], totals, years, strata)
    assert apart.heterogeneity_pvalue < 1e-6
    assert together.heterogeneity_pvalue > 0.9


@settings(max_examples=examples(50))
@given(points)
def test_turned_round_the_odds_ratio_is_its_inverse(rows):
    successes, totals = counts(rows)
    years = np.arange(len(rows)) / 12
    forth = binomial_regression(successes, totals, years)
    back = binomial_regression(successes, totals, -years)
    if np.isfinite(forth.odds_ratio):
        assert back.odds_ratio == pytest.approx(1 / forth.odds_ratio, rel=1e-5)
        assert back.pvalue == pytest.approx(forth.pvalue, abs=1e-6)
        assert forth.low <= forth.odds_ratio <= forth.high
    else:
        assert not np.isfinite(back.odds_ratio)


@pytest.mark.parametrize(
    ("successes", "totals"),
    [([0] * 9, [5] * 9), ([5] * 9, [5] * 9), ([1, 2], [4, 4]), ([0] * 8 + [5], [5] * 9), ([], [])],
)
def test_what_has_no_finite_trend_has_none(successes, totals):
    found = binomial_regression(successes, totals, np.arange(len(totals)))
    assert np.isnan(found.odds_ratio)
    assert np.isnan(found.pvalue)


def test_months_without_a_report_change_nothing():
    successes, totals, years = drawn(2)
    gap = np.insert(successes, 5, 0), np.insert(totals, 5, 0), np.insert(years, 5, 99)
    assert binomial_regression(*gap).odds_ratio == pytest.approx(
        binomial_regression(successes, totals, years).odds_ratio
    )
    assert cochran_armitage(*gap)[0] == pytest.approx(cochran_armitage(successes, totals, years)[0])


def test_many_series_at_once_are_each_as_alone():
    random = np.random.default_rng(0)
    totals, years = random.integers(1, 30, 20), np.arange(20) / 12
    many = random.binomial(totals, 0.3, (4, 20))
    together, z = binomial_regression(many, totals, years), cochran_armitage(many, totals, years)[0]
    for index, successes in enumerate(many):
        alone = binomial_regression(successes, totals, years)
        assert together.pvalue[index] == pytest.approx(float(alone.pvalue))
        assert z[index] == pytest.approx(float(cochran_armitage(successes, totals, years)[0]))


def test_the_test_of_armitage_is_that_of_the_example_of_r() -> None:
    # Fleiss (1981), table 9.1, as in the documentation of R's prop.trend.test: 8.2249, with n where
    # we have n - 1.
    z, _ = cochran_armitage([83, 90, 129, 70], [86, 93, 136, 82], [1, 2, 3, 4])
    assert z**2 * 397 / 396 == pytest.approx(8.2249, abs=5e-5)


@settings(max_examples=examples(50))
@given(points)
def test_the_test_of_armitage_is_a_correlation(rows):
    # z squared is (n - 1) r squared, r the correlation of label and time over all trials.
    successes, totals = counts(rows)
    years = np.arange(len(rows))
    label = np.concatenate([[1] * yes + [0] * no for yes, no in rows]) if totals.sum() else []
    time = np.repeat(years, totals)
    z, p = cochran_armitage(successes, totals, years)
    if len(label) < 2 or np.ptp(label) == 0 or np.ptp(time) == 0:
        assert np.isnan(z)
    else:
        r = np.corrcoef(label, time)[0, 1]
        assert z == pytest.approx(np.sqrt(len(label) - 1) * r, abs=1e-9)
        assert 0 <= p <= 1


def test_the_variance_of_the_test_of_armitage_is_that_of_permuted_labels():
    random = np.random.default_rng(1)
    totals = np.array([8, 3, 9, 14, 6, 10])
    time = np.repeat(np.arange(6), totals)
    label = np.arange(50) < 12
    scores = []
    for _ in range(20_000):
        random.shuffle(label)
        scores.append(time[label].sum())
    successes = np.bincount(time[label], minlength=6)
    z, _ = cochran_armitage(successes, totals, np.arange(6))
    expected = (time[label].sum() - 12 * time.mean()) / np.std(scores)
    assert float(z) == pytest.approx(expected, rel=0.03)


def test_strata_add_up_their_scores_and_variances():
    one, other = drawn(5, points=12), drawn(6, points=9)
    successes, totals, years = (np.concatenate(pair) for pair in zip(one, other, strict=True))
    z, _ = cochran_armitage(successes, totals, years, np.repeat([1, 2], [12, 9]))
    first, second = cochran_armitage(*one)[0], cochran_armitage(*other)[0]
    assert min(first, second) < z * 1.5
    level = cochran_armitage([1, 1, 1, 9, 9, 9], [10] * 6, [0, 1, 2, 0, 1, 2], [0, 0, 0, 1, 1, 1])
    assert level[0] == pytest.approx(0)


def test_thousands_of_strata_that_are_alike_have_the_trend_of_one() -> None:
    successes, totals, times = [1, 3, 2, 5, 4, 7], [20, 30, 25, 30, 20, 30], range(6)
    many = 3000
    alone = binomial_regression(successes, totals, times)
    found = binomial_regression(
        successes * many, totals * many, [*times] * many, np.repeat(range(many), 6)
    )
    assert found.odds_ratio == pytest.approx(alone.odds_ratio, rel=1e-9)
    assert found.heterogeneity_pvalue == pytest.approx(1)
    z, _ = cochran_armitage(
        successes * many, totals * many, [*times] * many, np.repeat(range(many), 6)
    )
    assert z == pytest.approx(np.sqrt(many) * cochran_armitage(successes, totals, times)[0])
