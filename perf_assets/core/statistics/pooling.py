"""Effects of several studies put together, where each may have an effect of its own."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats
from scipy.optimize import brentq

from perf_assets.core.statistics.samples import Floats


class PooledEffect(NamedTuple):
    """What :func:`random_effects` found; limits are None of a single study.

    estimate, low, high : the mean of the effects, and its interval.
    pvalue : of a mean of 0, two-sided.
    tau : standard deviation of the effects themselves, chance aside.
    i_squared : share of the variation that is more than chance, 0 to 1.
    heterogeneity_pvalue : of equal effects (Cochran's Q).
    prediction_low, prediction_high : where the effect of a further study lies; None with fewer than
        three.
    """

    estimate: float
    low: float | None
    high: float | None
    pvalue: float | None
    tau: float
    i_squared: float
    heterogeneity_pvalue: float | None
    prediction_low: float | None
    prediction_high: float | None


def random_effects(
    effects: Sequence[float], variances: Sequence[float], confidence: float = 0.95
) -> PooledEffect:
    """Return the mean of effects that differ between studies, each known with a variance above 0.

    Notes
    -----
    The variance between studies is that of Paule and Mandel, by which Cochran's Q is what it should
    be; the interval is that of Hartung and Knapp, which holds with few studies where that by the
    normal distribution does not; not narrower than the latter, as Jackson et al. (2017) advise. The
    interval of prediction is that of Higgins et al.

    References
    ----------
    Paule, R. C. and Mandel, J. (1982). Consensus values and weighting factors. Journal of Research
    of the National Bureau of Standards 87, 377-385.
    Hartung, J. and Knapp, G. (2001). A refined method for the meta-analysis of controlled clinical
    trials with binary outcome. Statistics in Medicine 20, 3875-3889.
    Jackson, D., Law, M., Rücker, G. and Schwarzer, G. (2017). The Hartung-Knapp modification for
    random-effects meta-analysis: a useful refinement but are there any residual concerns?
    Statistics in Medicine 36, 3923-3934.
    Higgins, J. P. T., Thompson, S. G. and Spiegelhalter, D. J. (2009). A re-evaluation of
    random-effects meta-analysis. Journal of the Royal Statistical Society A 172, 137-159.

    Raises
    ------
    ValueError
        There are no effects, or a variance is not above 0.
    """
    y, v = np.asarray(effects, dtype=float), np.asarray(variances, dtype=float)
    if not len(y) or len(y) != len(v) or not np.all(v > 0):
        raise ValueError("effects are needed, and a variance above 0 of each")
    k = len(y)
    if k == 1:
        return PooledEffect(float(y[0]), None, None, None, 0.0, 0.0, None, None, None)
    fixed = 1 / v
    q = float(np.sum(fixed * (y - np.sum(fixed * y) / fixed.sum()) ** 2))
    between = _between(y, v)
    weights = 1 / (v + between)
    mean = float(np.sum(weights * y) / weights.sum())
    residual = float(np.sum(weights * (y - mean) ** 2)) / (k - 1)
    error = math.sqrt(max(1.0, residual) / weights.sum())
    reach = float(stats.t.ppf((1 + confidence) / 2, k - 1)) * error
    pvalue = 2 * float(stats.t.sf(abs(mean) / error, k - 1))
    prediction_low = prediction_high = None
    if k > 2:
        wide = float(stats.t.ppf((1 + confidence) / 2, k - 2)) * math.sqrt(between + error**2)
        prediction_low, prediction_high = mean - wide, mean + wide
    return PooledEffect(
        mean,
        mean - reach,
        mean + reach,
        pvalue,
        math.sqrt(between),
        max(0.0, (q - (k - 1)) / q) if q > 0 else 0.0,
        float(stats.chi2.sf(q, k - 1)),
        prediction_low,
        prediction_high,
    )


def _between(y: Floats, v: Floats) -> float:
    """Return the variance between studies by Paule and Mandel: 0 if chance explains all."""

    def excess(tau2: float) -> float:
        weights = 1 / (v + tau2)
        mean = np.sum(weights * y) / weights.sum()
        return float(np.sum(weights * (y - mean) ** 2)) - (len(y) - 1)

    if excess(0.0) <= 0:
        return 0.0
    # Q falls as the variance between grows, and is near 0 where that is far above all effects.
    high = float(np.ptp(y)) ** 2
    return float(brentq(excess, 0.0, high, xtol=1e-14, maxiter=500))
