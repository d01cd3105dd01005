"""The tests the study uses, one function each: Cox-Stuart, Mann-Whitney U, Cliff's delta, Holm.

Missing values (None, NaN) are allowed everywhere; each function says what it does with them. A
sample that is too small for an answer gives a result whose figures are None, never an exception.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Floats: TypeAlias = NDArray[np.float64]
Values: TypeAlias = Iterable[float | None]
TrendAlternative: TypeAlias = Literal["two_sided", "increasing", "decreasing"]

MAGNITUDE_BOUNDS = ((0.147, "negligible"), (0.33, "small"), (0.474, "medium"))
"""Largest absolute Cliff's delta of each magnitude below "large" (Romano et al., 2006)."""

WIDEST = 1e4
"""The largest ratio of the upper to the lower limit of a ratio that is reported: over so many
orders an interval says nothing. There were too few events, or nearly nothing else."""

_BINOMIAL_ALTERNATIVE = {"two_sided": "two-sided", "increasing": "greater", "decreasing": "less"}


@dataclass(frozen=True)
class CoxStuartResult:
    """What :func:`cox_stuart` found.

    ``n`` counts the values that are present, ``n_pairs`` the untied pairs and ``n_positive`` those
    of them that rise. ``statistic`` is ``n_positive``; it and ``pvalue`` are None without a pair.
    """

    n: int
    n_pairs: int
    n_positive: int
    statistic: float | None
    pvalue: float | None
    alternative: TrendAlternative


@dataclass(frozen=True)
class MannWhitneyResult:
    """What :func:`mann_whitney_u` found: ``statistic`` is the U of the first sample."""

    n_x: int
    n_y: int
    statistic: float | None
    pvalue: float | None


def cox_stuart(series: Values, alternative: TrendAlternative = "two_sided") -> CoxStuartResult:
    """Test a series, in the order of time, for a monotonic trend.

    Parameters
    ----------
    series : the values in order of time. A missing value keeps its position, so that it moves no
        other value into another half; the pair it belongs to is dropped.
    alternative : ``increasing``, ``decreasing`` or ``two_sided``.

    Notes
    -----
    Value i of the first half is paired with value i of the second half (the midpoint of an odd
    series is dropped) and ties are dropped. Under no trend the number of pairs that rise is
    Binomial(n_pairs, 1/2); the p-value is exact (``scipy.stats.binomtest``).

    Values next to each other are taken as independent: for cumulative series, which are not, the
    p-value is too small (see :mod:`perf_assets.core.statistics.trend`).

    References
    ----------
    Cox, D. R. and Stuart, A. (1955). Some quick sign tests for trend in location and dispersion.
    Biometrika 42, 80-95.

    Examples
    --------
    >>> cox_stuart(range(1, 13)).pvalue
    0.03125
    >>> cox_stuart([5.0, 5.0]).pvalue is None
    True
    """
    values = as_floats(series)
    half = len(values) // 2
    changes = values[len(values) - half :] - values[:half]
    n_positive, n_negative = int(np.sum(changes > 0)), int(np.sum(changes < 0))
    n_pairs = n_positive + n_negative
    pvalue = None
    if n_pairs:
        test = stats.binomtest(n_positive, n_pairs, alternative=_BINOMIAL_ALTERNATIVE[alternative])
        pvalue = float(test.pvalue)
    return CoxStuartResult(
        n=int(np.sum(~np.isnan(values))),
        n_pairs=n_pairs,
        n_positive=n_positive,
        statistic=float(n_positive) if n_pairs else None,
        pvalue=pvalue,
        alternative=alternative,
    )


def mann_whitney_u(x: Values, y: Values) -> MannWhitneyResult:
    """Wilcoxon rank-sum (Mann-Whitney U) test of two independent samples, two-sided.

    Missing values are dropped. An empty sample gives None for U and p; samples whose values are
    all the same give p = 1.

    Notes
    -----
    ``scipy.stats.mannwhitneyu`` with the normal approximation, corrected for ties and continuity,
    at every size: the study's p-values are such, and its samples have many ties. For samples of
    fewer than about eight values the approximation is rough.

    References
    ----------
    Mann, H. B. and Whitney, D. R. (1947). On a test of whether one of two random variables is
    stochastically larger than the other. Annals of Mathematical Statistics 18, 50-60.

    Examples
    --------
    >>> result = mann_whitney_u([19, 22, 16, 29, 24], [20, 11, 17, 12])
    >>> result.statistic, round(result.pvalue, 4)
    (17.0, 0.1113)
    """
    first, second = present(x), present(y)
    if not (len(first) and len(second)):
        return MannWhitneyResult(len(first), len(second), None, None)
    test = stats.mannwhitneyu(first, second, alternative="two-sided", method="asymptotic")
    # Without any variance there is no z: newer versions of scipy say NaN, older ones 1.
    pvalue = 1.0 if np.isnan(test.pvalue) else float(test.pvalue)
    return MannWhitneyResult(len(first), len(second), float(test.statistic), pvalue)


def cliffs_delta(x: Values, y: Values) -> float | None:
    """Cliff's delta, P(X > Y) - P(X < Y): positive when ``x`` tends to be larger.

    Missing values are dropped; None if a sample is empty. Ties count for neither side, so that
    delta = 2U / (n_x n_y) - 1 with U of :func:`mann_whitney_u`. Found by binary search in
    O((n_x + n_y) log(n_x + n_y)).

    References
    ----------
    Cliff, N. (1993). Dominance statistics: ordinal analyses to answer ordinal questions.
    Psychological Bulletin 114, 494-509.

    Examples
    --------
    >>> cliffs_delta([10, 10, 20, 20, 20, 30, 30, 30, 40, 50], [10, 20, 30, 40, 40, 50])
    -0.25
    """
    first, second = present(x), present(y)
    if not (len(first) and len(second)):
        return None
    wins, losses = wins_and_losses(first, second)
    return int(wins.sum() - losses.sum()) / (len(first) * len(second))


def magnitude(delta: float | None) -> str | None:
    """Return how large a Cliff's delta is: negligible, small, medium or large; None for None.

    The bounds belong to the smaller magnitude: 0.147, 0.33 and 0.474.

    References
    ----------
    Romano, J., Kromrey, J. D., Coraggio, J. and Skowronek, J. (2006). Appropriate statistics for
    ordinal level data. Annual meeting of the Florida Association of Institutional Research.

    Examples
    --------
    >>> magnitude(-0.25)
    'small'
    """
    if delta is None:
        return None
    return next((name for bound, name in MAGNITUDE_BOUNDS if abs(delta) <= bound), "large")


def delta_limits(
    delta: float, variance: float, pairs: int, confidence: float = 0.95
) -> tuple[float, float]:
    """Return the limits of Cliff's delta of so many ``pairs`` of values, from its variance.

    Samples that do not overlap (delta is 1 or -1) have no variance: as in R's effsize, the delta
    next to it, (pairs - 1) / pairs, stands in for it in the inner limit, and the outer limit is
    delta itself.

    Notes
    -----
    The limits are, with z the normal quantile,

        (d - d**3 -+ z s sqrt((1 - d**2)**2 + z**2 s2)) / (1 - d**2 + z**2 s2)

    References
    ----------
    Feng, D. and Cliff, N. (2004). Monte Carlo evaluation of ordinal d with improved confidence
    interval. Journal of Modern Applied Statistical Methods 3, 322-332.
    """
    inner = delta * (pairs - 1) / pairs if abs(delta) == 1 else delta
    z = float(stats.norm.ppf((1 + confidence) / 2))
    centre = inner - inner**3
    reach = z * math.sqrt(variance * ((1 - inner**2) ** 2 + z**2 * variance))
    scale = 1 - inner**2 + z**2 * variance
    low, high = (centre - reach) / scale, (centre + reach) / scale
    # The outer limit of 1 or -1 is delta itself; what has next to no variance has limits next to
    # delta, which may round to the other side of it.
    return max(-1.0, min(low, delta)), min(1.0, max(high, delta))


def holm(pvalues: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down adjustment of the p-values of one family, in the order given.

    None (no test was possible) stays None and does not count as a member of the family.

    References
    ----------
    Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal
    of Statistics 6, 65-70.

    Examples
    --------
    >>> holm([0.01, None, 0.04, 0.03])
    [0.03, None, 0.06, 0.06]
    """
    ascending = sorted((p, index) for index, p in enumerate(pvalues) if p is not None)
    adjusted: list[float | None] = [None] * len(pvalues)
    largest = 0.0
    for rank, (p, index) in enumerate(ascending):
        largest = max(largest, min(1.0, p * (len(ascending) - rank)))
        adjusted[index] = largest
    return adjusted


def as_floats(values: Values) -> Floats:
    """Return the values as floats, None as NaN, in their order."""
    if isinstance(values, np.ndarray):
        return values.astype(np.float64)
    return np.array([math.nan if value is None else value for value in values], dtype=np.float64)


def finite(value: Floats | float) -> float | None:
    """Return a single figure; None where it is NaN or infinite."""
    number = float(value)
    return number if math.isfinite(number) else None


def present(values: Values) -> Floats:
    """Return the values that are neither None nor NaN, in their order."""
    floats = as_floats(values)
    return floats[~np.isnan(floats)]


def wins_and_losses(x: Floats, y: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each value of x: how many of y are smaller, and how many are larger."""
    ordered = np.sort(y)
    wins = np.searchsorted(ordered, x, side="left")
    losses = len(y) - np.searchsorted(ordered, x, side="right")
    return wins.astype(np.int64), losses.astype(np.int64)


def delta_variance(x: Floats, y: Floats, delta: float) -> float:
    """Cliff's consistent estimate of the variance of delta, around the given ``delta``.

    Notes
    -----
    With d_i. and d_.j the mean dominance of each value of x and y:

        s2 = ((n_y - 1) s2(d_i.) + (n_x - 1) s2(d_.j) + SS(d_ij) / ((n_x - 1)(n_y - 1))) / (n_x n_y)

    References
    ----------
    Cliff, N. (1996). Answering ordinal questions with ordinal data using ordinal statistics.
    Multivariate Behavioral Research 31, 331-350.
    """
    n_x, n_y = len(x), len(y)
    wins, losses = wins_and_losses(x, y)
    y_losses, y_wins = wins_and_losses(y, x)
    n_wins, n_losses = int(wins.sum()), int(losses.sum())
    n_ties = n_x * n_y - n_wins - n_losses
    of_x = float(np.sum(((wins - losses) / n_y - delta) ** 2)) / (n_x - 1)
    of_y = float(np.sum(((y_wins - y_losses) / n_x - delta) ** 2)) / (n_y - 1)
    squares = n_wins * (1 - delta) ** 2 + n_losses * (1 + delta) ** 2 + n_ties * delta**2
    of_pairs = squares / ((n_x - 1) * (n_y - 1))
    return ((n_y - 1) * of_x + (n_x - 1) * of_y + of_pairs) / (n_x * n_y)
