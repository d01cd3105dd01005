"""Trend tests beside the paper's: Mann-Kendall, corrected for autocorrelation, and Sen's slope."""

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import pymannkendall
from scipy import stats

from perf_assets.core.statistics.samples import TrendAlternative, Values, as_floats

Correction: TypeAlias = Literal["none", "hamed_rao"]

MINIMUM_VALUES = 3
"""With fewer values the variance of the Mann-Kendall score is no guide."""


@dataclass(frozen=True)
class MannKendallResult:
    """What :func:`mann_kendall` found.

    ``n`` counts the values that are present, ``statistic`` is the standardized score z, ``tau``
    Kendall's tau, ``slope`` Sen's slope in units of the series for each step of time.
    """

    n: int
    statistic: float | None
    pvalue: float | None
    tau: float | None
    slope: float | None
    alternative: TrendAlternative


def mann_kendall(
    series: Values,
    alternative: TrendAlternative = "two-sided",
    correction: Correction = "hamed_rao",
) -> MannKendallResult:
    """Test a series, in the order of time, for a monotonic trend, and estimate its slope.

    Parameters
    ----------
    series
        The values in order of time. Missing values are left out of the test; for the slope the
        others keep their places.
    alternative
        ``increasing``, ``decreasing`` or ``two-sided``.
    correction
        ``hamed_rao`` widens (or narrows) the variance of the score by the significant
        autocorrelations of the ranks of the detrended series, at all lags; ``none`` takes the
        values as independent.

    Notes
    -----
    The score S is the number of pairs that rise less those that fall, and z = (S -+ 1) / sd(S),
    with the variance corrected for ties; p comes from the normal distribution. Sen's slope is the
    median slope of all pairs. Scores and slope: ``pymannkendall``.

    With fewer than three values, or where all are the same, there is no test; where the correction
    leaves no positive variance, as it may in short series, z and p are None and slope and tau
    stay.

    References
    ----------
    Hamed, K. H. and Rao, A. R. (1998). A modified Mann-Kendall trend test for autocorrelated data.
    Journal of Hydrology 204, 182-196.
    Sen, P. K. (1968). Estimates of the regression coefficient based on Kendall's tau. Journal of
    the American Statistical Association 63, 1379-1389.
    Hussain, M. M. and Mahmud, I. (2019). pyMannKendall. Journal of Open Source Software 4, 1556.

    Examples
    --------
    >>> result = mann_kendall([1, 3, 2, 5, 4, 6, 8, 7, 9], correction="none")
    >>> round(result.statistic, 4), round(result.pvalue, 4), result.slope
    (3.0235, 0.0025, 1.0)
    """
    values = as_floats(series)
    shown = values[~np.isnan(values)]
    if len(shown) < MINIMUM_VALUES or np.all(shown == shown[0]):
        return MannKendallResult(len(shown), None, None, None, None, alternative)
    hamed_rao = correction == "hamed_rao"
    test = pymannkendall.hamed_rao_modification_test if hamed_rao else pymannkendall.original_test
    with np.errstate(invalid="ignore", divide="ignore"):  # a variance that is not positive
        found = test(values)
    z = float(found.z) if found.var_s > 0 else math.nan
    return MannKendallResult(
        n=len(shown),
        statistic=None if math.isnan(z) else z,
        pvalue=None if math.isnan(z) else _normal_pvalue(z, alternative),
        tau=float(found.Tau),
        slope=float(found.slope),
        alternative=alternative,
    )


def _normal_pvalue(z: float, alternative: TrendAlternative) -> float:
    if alternative == "two-sided":
        return min(1.0, 2 * float(stats.norm.sf(abs(z))))
    return float(stats.norm.sf(z if alternative == "increasing" else -z))
