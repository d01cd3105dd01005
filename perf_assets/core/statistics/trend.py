"""Trends of a share over time: binomial regression and the test of Cochran and Armitage.

Both take what happened in a month as drawn anew in each, as flows are (reports opened in it), and
no cumulative series is. Successes may have leading axes, so that thousands of permuted series are
tested at once.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from perf_assets.core.statistics.samples import WIDEST, Floats

_ITERATIONS = 50
_TOLERANCE = 1e-10
_LARGEST = 25.0
"""A coefficient beyond it is on the way to infinity: some times have all successes or none."""


@dataclass(frozen=True)
class BinomialTrend:
    """What :func:`binomial_regression` found; figures are NaN where nothing could be fitted.

    odds_ratio : factor by which the odds of a success change in one unit of time.
    low, high : limits of its interval.
    dispersion : Pearson's statistic by its degrees of freedom; 1 for binomial counts, more where
        they vary more than that.
    statistic : the coefficient by its standard error.
    pvalue : two-sided.
    heterogeneity_pvalue : of equal trends in all strata (likelihood ratio, by the dispersion); NaN
        with one stratum.
    """

    odds_ratio: Floats
    low: Floats
    high: Floats
    dispersion: Floats
    statistic: Floats
    pvalue: Floats
    heterogeneity_pvalue: float


def binomial_regression(
    successes: ArrayLike,
    totals: ArrayLike,
    times: ArrayLike,
    strata: ArrayLike | None = None,
    confidence: float = 0.95,
) -> BinomialTrend:
    """Logistic regression of a share on time, its errors widened where counts are over-dispersed.

    Parameters
    ----------
    successes : counts, shape (..., points); each of the leading indices is a series of its own.
    totals, times : shape (points,): trials and moment of each point. Points without a trial are
        left out.
    strata : shape (points,): the group of each point; each gets a level of its own, and all one
        trend. Default: one group.
    confidence : of the interval.

    Notes
    -----
    Maximum likelihood by Newton's method. Standard errors are multiplied by the square root of the
    dispersion where that is above 1 (quasi-binomial); then p and limits come from Student's t with
    as many degrees of freedom as points are left over, else from the normal distribution. Nothing
    is fitted with fewer than three degrees of freedom, or where all or none are successes, or the
    interval spans a factor of 10,000. A stratum of which all or none are successes gives no
    evidence on the trend, and is left out.

    References
    ----------
    McCullagh, P. and Nelder, J. A. (1989). Generalized Linear Models, 2nd edition, chapter 4.
    Chapman and Hall.

    Examples
    --------
    >>> found = binomial_regression([1, 2, 2, 4, 5, 7], [20] * 6, range(6))
    >>> round(float(found.odds_ratio), 3), round(float(found.pvalue), 3)
    (1.56, 0.006)
    """
    design = _design(totals, times, _informative(successes, totals, strata))
    counts = np.asarray(successes, dtype=np.float64)[..., design.indices]
    leading = counts.shape[:-1]
    freedom = counts.shape[-1] - design.strata - 1
    nothing = np.full(leading, np.nan)
    if freedom < 3:
        return BinomialTrend(nothing, nothing, nothing, nothing, nothing, nothing, np.nan)
    counts = counts.reshape(-1, counts.shape[-1])
    fit = _fit(counts, design, has_one_trend=True)
    dispersion = fit.pearson / freedom
    is_wide = dispersion > 1
    error = fit.slope_error * np.sqrt(np.where(is_wide, dispersion, 1))
    # An estimated dispersion needs Student's t, a known one for the normal distribution.
    degrees = np.where(is_wide, freedom, np.inf)
    z = fit.slope / error
    reach = stats.t.ppf((1 + confidence) / 2, degrees) * error
    pvalue = 2 * stats.t.sf(np.abs(z), degrees)
    reported = np.where(2 * reach < np.log(WIDEST), 1.0, np.nan)
    ratio, low, high = (
        reported * np.exp(reported * (fit.slope + way * reach)) for way in (0, -1, 1)
    )
    return BinomialTrend(
        ratio.reshape(leading),
        low.reshape(leading),
        high.reshape(leading),
        dispersion.reshape(leading),
        (reported * z).reshape(leading),
        (reported * pvalue).reshape(leading),
        _heterogeneity(counts, design, fit),
    )


def cochran_armitage(
    successes: ArrayLike, totals: ArrayLike, times: ArrayLike, strata: ArrayLike | None = None
) -> tuple[Floats, Floats]:
    """Return the test of Cochran and Armitage for a linear trend of a share; z, and p two-sided.

    Parameters
    ----------
    successes, totals, times, strata : as for :func:`binomial_regression`. With strata the scores
        and variances of all of them are added up (Mantel's extension).

    Notes
    -----
    The score is the sum of time by success, less what is expected from the share of the stratum as
    a whole; its variance is that of labels permuted among the trials (with n - 1). NaN where it
    has none.

    References
    ----------
    Armitage, P. (1955). Tests for linear trends in proportions and frequencies. Biometrics 11,
    375-386.
    Mantel, N. (1963). Chi-square tests with one degree of freedom. Journal of the American
    Statistical Association 58, 690-700.

    Examples
    --------
    >>> z, p = cochran_armitage([10, 9, 10, 7], [43, 22, 20, 12], [1, 2, 3, 4])
    >>> round(float(z), 3), round(float(p), 4)
    (2.664, 0.0077)
    """
    counts = np.asarray(successes, dtype=np.float64)
    trials, moments = (np.asarray(values, dtype=np.float64) for values in (totals, times))
    groups = _Groups.of(np.zeros(len(trials)) if strata is None else np.asarray(strata))
    counts, trials, moments = (values[..., groups.order] for values in (counts, trials, moments))
    n, yes = groups.sums(trials), groups.sums(counts)
    with np.errstate(divide="ignore", invalid="ignore"):
        centred = moments - groups.spread(groups.sums(trials * moments) / n)
        spread = groups.sums(trials * np.nan_to_num(centred) ** 2) / n
        by_group = yes * (n - yes) / (n - 1) * spread
        has_any = n >= 2
        score = counts @ np.where(groups.spread(has_any), centred, 0.0)
        variance = np.where(has_any, by_group, 0.0).sum(-1)
        z = np.where(variance > 0, score / np.sqrt(variance), np.nan)
    return z, 2 * stats.norm.sf(np.abs(z))


def _informative(
    successes: ArrayLike, totals: ArrayLike, strata: ArrayLike | None
) -> NDArray[np.int64] | None:
    """Return the strata as numbers, -1 without both outcomes; None without strata."""
    counts = np.asarray(successes, dtype=np.float64)
    if strata is None or counts.ndim > 1 or not counts.size:
        return None
    _, groups = np.unique(np.asarray(strata), return_inverse=True)
    yes = np.bincount(groups, weights=counts)
    trials = np.bincount(groups, weights=np.asarray(totals, dtype=np.float64))
    has_both = (yes > 0) & (yes < trials)
    return np.where(has_both[groups] if has_both.any() else True, groups, -1)


@dataclass(frozen=True)
class _Groups:
    """Groups of points, each with its points beside each other once they are put in ``order``."""

    order: NDArray[np.int64]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]

    @classmethod
    def of(cls, groups: NDArray[Any]) -> "_Groups":
        order = np.argsort(groups, kind="stable")
        _, starts, sizes = np.unique(groups[order], return_index=True, return_counts=True)
        return cls(order, starts, sizes)

    def sums(self, values: Floats) -> Floats:
        """Return the sums of ordered ``values`` (..., points) in each group (..., groups)."""
        if not len(self.starts):
            return np.zeros((*values.shape[:-1], 0))
        sums: Floats = np.add.reduceat(values, self.starts, axis=-1)
        return sums

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return what each group has (..., groups), at each of its ordered points (..., points)."""
        return np.repeat(values, self.sizes, axis=-1)


@dataclass(frozen=True)
class _Design:
    """Points with trials, in the order of their strata.

    indices : of these points among all.
    times : about their mean in each stratum: levels and trend then hardly depend on each other.
    """

    indices: NDArray[np.int64]
    totals: Floats
    times: Floats
    groups: _Groups

    @property
    def strata(self) -> int:
        """Return how many strata there are."""
        return len(self.groups.starts)


def _design(totals: ArrayLike, times: ArrayLike, strata: ArrayLike | None) -> _Design:
    trials, moments = (np.asarray(values, dtype=np.float64) for values in (totals, times))
    strata = np.zeros(len(trials)) if strata is None else np.asarray(strata)
    used = np.flatnonzero((trials > 0) & (strata >= 0))
    groups = _Groups.of(strata[used])
    indices = used[groups.order]
    trials, moments = trials[indices], moments[indices]
    mean = groups.sums(trials * moments) / groups.sums(trials)
    return _Design(indices, trials, moments - groups.spread(mean), groups)


@dataclass(frozen=True)
class _Fit:
    slope: Floats
    slope_error: Floats
    pearson: Floats
    deviance: Floats


def _fit(counts: Floats, design: _Design, *, has_one_trend: bool) -> _Fit:
    """Logistic regressions of each row of ``counts``; NaN for a row that cannot be fitted.

    Each stratum has a level, and all have one trend, or each its own. Of all coefficients the
    trend alone depends on several strata, so that each step is solved stratum by stratum.
    """
    totals, times, groups = design.totals, design.times, design.groups
    share = counts.sum(1) / totals.sum()
    slope_error = np.empty(len(counts))
    with np.errstate(all="ignore"):
        level = np.repeat(np.log(share / (1 - share))[:, None], design.strata, axis=1)
        trend = np.zeros((len(counts), 1 if has_one_trend else design.strata))
        moving = np.arange(len(counts))  # the rows that have not come to rest
        for _ in range(_ITERATIONS):
            expected = totals * _fitted(design, level[moving], trend[moving])
            left, weight = counts[moving] - expected, expected * (1 - expected / totals)
            own, both = groups.sums(weight), groups.sums(weight * times)
            of_level = groups.sums(left)
            # What is left of the trends' information and score once each level is the best one.
            information = groups.sums(weight * times**2) - both**2 / own
            score = groups.sums(left * times) - both * of_level / own
            if has_one_trend:
                information, score = (part.sum(1, keepdims=True) for part in (information, score))
            turn = np.where(information > 0, score / information, np.nan)
            rise = (of_level - both * turn) / own
            level[moving] += rise
            trend[moving] += turn
            slope_error[moving] = 1 / np.sqrt(information[:, -1])
            largest = np.maximum(np.abs(rise).max(axis=1), np.abs(turn).max(axis=1))
            moving = moving[largest >= _TOLERANCE]
            if not moving.size:
                break
        is_finite = np.all(np.abs(level) < _LARGEST, axis=1)
        is_finite &= np.all(np.abs(trend) < _LARGEST, axis=1)
        expected = totals * _fitted(design, level, trend)
        pearson = ((counts - expected) ** 2 / (expected * (1 - expected / totals))).sum(1)
        of_yes = np.where(counts > 0, counts * np.log(counts / expected), 0)
        no = totals - counts
        of_no = np.where(no > 0, no * np.log(no / (totals - expected)), 0)
        deviance = 2 * (of_yes + of_no).sum(1)
    hidden = np.where(is_finite, 1.0, np.nan)
    return _Fit(trend[:, -1] * hidden, slope_error * hidden, pearson * hidden, deviance * hidden)


def _fitted(design: _Design, level: Floats, trend: Floats) -> Floats:
    """Return the share that each row of coefficients gives at each point."""
    spread = design.groups.spread
    slope = trend if trend.shape[-1] == 1 else spread(trend)
    fitted: Floats = 1 / (1 + np.exp(-(spread(level) + slope * design.times)))
    return fitted


def _heterogeneity(counts: Floats, design: _Design, common: _Fit) -> float:
    """Return the p-value of equal trends in all strata: likelihood ratio by the dispersion, F."""
    extra = design.strata - 1
    left = counts.shape[1] - 2 * design.strata
    if extra < 1 or left < 1 or len(counts) != 1:
        return np.nan
    own = _fit(counts, design, has_one_trend=False)
    dispersion = max(1.0, float(own.pearson[0]) / left)
    return float(
        stats.f.sf((common.deviance[0] - own.deviance[0]) / extra / dispersion, extra, left)
    )
