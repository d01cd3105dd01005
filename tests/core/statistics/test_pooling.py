"""Random effects: statsmodels as the other implementation, and what must hold of any effects."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.meta_analysis import combine_effects

from perf_assets.core.statistics.pooling import random_effects
from tests.effort import examples

# Effects and variances of thirteen trials of a vaccine against tuberculosis (log risk ratios;
# Colditz et al. 1994, JAMA 271, 698-702), as in the documentation of R's metafor.
BCG = (
    *((-0.8893, 0.3256), (-1.5854, 0.1946), (-1.3481, 0.4154), (-1.4416, 0.0200)),
    *((-0.2175, 0.0512), (-0.7861, 0.0069), (-1.6209, 0.2230), (0.0120, 0.0040)),
    *((-0.4694, 0.0564), (-1.3713, 0.0730), (-0.3394, 0.0124), (0.4459, 0.5325)),
    (-0.0173, 0.0714),
)
effects = st.lists(st.tuples(st.floats(-0.9, 0.9), st.floats(0.001, 0.2)), min_size=2, max_size=12)


def test_the_trials_of_a_vaccine_have_their_known_figures() -> None:
    found = random_effects(*map(list, zip(*BCG, strict=True)))
    assert found.tau**2 == pytest.approx(0.318, abs=0.002)  # metafor, method PM
    assert found.estimate == pytest.approx(-0.715, abs=0.002)
    assert found.i_squared == pytest.approx(0.921, abs=0.002)
    assert found.heterogeneity_pvalue == pytest.approx(stats.chi2.sf(152.23, 12), rel=0.05)


@given(effects)
@settings(max_examples=examples(30), deadline=None)
def test_mean_and_spread_are_those_of_another_implementation(
    rows: list[tuple[float, float]],
) -> None:
    y, v = map(np.array, zip(*rows, strict=True))
    found = random_effects(list(y), list(v))
    other = combine_effects(y, v, method_re="iterated", use_t=True)
    assert found.tau**2 == pytest.approx(max(0.0, other.tau2), abs=2e-5)
    assert found.estimate == pytest.approx(other.mean_effect_re, abs=1e-3)
    assert found.low is not None and found.high is not None
    wide = (found.high - found.low) / 2
    knapp = stats.t.ppf(0.975, len(y) - 1) * other.sd_eff_w_re_hksj
    assert wide >= knapp - 1e-3
    assert min(y) - 1e-9 <= found.estimate <= max(y) + 1e-9
    assert 0 <= found.i_squared <= 1
    if found.prediction_low is not None and found.prediction_high is not None:
        assert found.prediction_low <= found.low <= found.high <= found.prediction_high


def test_equal_effects_differ_by_nothing_and_one_has_no_interval() -> None:
    found = random_effects([0.2, 0.2, 0.2], [0.01, 0.02, 0.04])
    assert (found.tau, found.i_squared) == (0, 0)
    assert found.estimate == pytest.approx(0.2)
    assert random_effects([0.2], [0.01])[:4] == (0.2, None, None, None)


@pytest.mark.parametrize(("y", "v"), [([], []), ([1], [0]), ([1, 2], [1])])
def test_effects_without_a_variance_are_refused(y: list[float], v: list[float]) -> None:
    with pytest.raises(ValueError, match="variance above 0"):
        random_effects(y, v)
