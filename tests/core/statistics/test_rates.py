"""Rates by exposure: the regression against statsmodels."""

import numpy as np
import pytest
import statsmodels.api as sm

from perf_assets.core.statistics.rates import poisson_regression


def drawn(seed, cells=60, spread=0.0):
    random = np.random.default_rng(seed)
    exposure = random.uniform(0.5, 20, cells)
    columns = np.column_stack([np.ones(cells), np.arange(cells) / 12, np.arange(cells) % 2])
    rate = np.exp(columns @ [0.5, -0.1, 0.3] + random.normal(0, spread, cells))
    return random.poisson(rate * exposure).astype(float), exposure, columns


@pytest.mark.parametrize("spread", [0.0, 0.6])
@pytest.mark.parametrize("seed", range(4))
def test_the_regression_is_that_of_statsmodels(seed, spread):
    events, exposure, columns = drawn(seed, spread=spread)
    model = sm.GLM(events, columns, family=sm.families.Poisson(), offset=np.log(exposure))
    expected = model.fit(scale="X2")
    found = poisson_regression(events, exposure, columns)
    assert found.coefficients == pytest.approx(expected.params)
    assert found.dispersion == pytest.approx(expected.scale)
    widened = max(1.0, expected.scale) / expected.scale
    assert np.sqrt(np.diag(found.covariance)) == pytest.approx(expected.bse * np.sqrt(widened))


def test_a_ratio_is_that_of_a_sum_of_coefficients():
    found = poisson_regression(*drawn(1))
    ratio, low, high, p = found.ratio(np.array([0.0, 1.0, 0.0]))
    assert ratio == pytest.approx(np.exp(found.coefficients[1]))
    assert low < ratio < high
    assert (p < 0.05) == (not low <= 1 <= high)


def test_limits_of_a_ratio_that_are_too_far_apart_say_nothing():
    # A change by year, told by four events of two days: the upper limit would be infinite.
    exposure, times = np.ones(5), np.arange(5) / 900
    columns = np.column_stack([np.ones(5), times])
    found = poisson_regression(np.array([1.0, 0, 2, 0, 1]), exposure, columns)
    assert found.ratio(np.array([0.0, 1.0])) is None


@pytest.mark.parametrize(
    ("events", "exposure", "columns"),
    [
        (np.zeros(9), np.ones(9), np.ones((9, 1))),
        (np.ones(9), np.ones(9), np.ones((9, 2))),
        (np.ones(3), np.ones(3), np.ones((3, 1))),
        (np.ones(9), np.zeros(9), np.ones((9, 1))),
        # The second half has no event: its level is on the way to minus infinity.
        (
            np.array([3.0] * 6 + [0.0] * 6),
            np.ones(12),
            np.column_stack([np.ones(12), np.arange(12) >= 6]).astype(float),
        ),
    ],
)
def test_what_cannot_be_distinguished_is_not_fitted(events, exposure, columns):
    assert poisson_regression(events, exposure, columns) is None
