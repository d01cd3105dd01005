"""Whether two monthly series go together, and at which lag: ranks, slow moves taken out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from perf_assets.core.statistics.samples import Floats

REPLICATES = 1_000
SEED = 3
DIGITS = 9


@dataclass(frozen=True)
class LagResult:
    """What :func:`lagged_correlations` found at one lag.

    ``n`` pairs of values; ``statistic`` is Spearman's rank correlation; it and ``band`` are None
    where a series does not vary.
    """

    lag: int
    n: int
    statistic: float | None
    band: float | None


def without_trend(counts: Sequence[float], half_width: int) -> Floats:
    """Return what is left of a monthly series of counts when its slow moves are taken out.

    Parameters
    ----------
    counts : one value for each month, 0 or more.
    half_width : months on either side that a value is compared with, nearer ones more.

    Notes
    -----
    The logarithm of each count (plus 1), less the local straight line through its neighbours,
    fitted by least squares with tricube weights. Logarithms, since flows of issues and questions
    grow by factors, so that months of later years would decide alone; local lines, since they rise,
    peak and fall, which no straight line follows, and since differences from month to month, the
    other customary way, turn noise into a negative correlation of neighbouring months.

    References
    ----------
    Cleveland, W. S. (1979). Robust locally weighted regression and smoothing scatterplots. Journal
    of the American Statistical Association 74, 829-836.
    """
    values = np.log1p(np.asarray(counts, dtype=np.float64))
    positions = np.arange(len(values), dtype=np.float64)
    left = np.empty_like(values)
    for index, value in enumerate(values):
        offsets = positions - index
        weights = np.clip(1 - np.abs(offsets / (half_width + 1)) ** 3, 0, None) ** 3
        total, first = weights.sum(), weights @ offsets
        second = weights @ offsets**2
        determinant = total * second - first**2
        mean, slope_part = weights @ values, weights @ (offsets * values)
        fitted = (second * mean - first * slope_part) / determinant if determinant else value
        left[index] = value - fitted
    # What only rounding leaves of a series that is nothing but trend must not be ranked.
    return left.round(DIGITS)


def lagged_correlations(
    x: Floats,
    y: Floats,
    lags: Sequence[int],
    block: int,
    confidence: float = 0.95,
    replicates: int = REPLICATES,
    seed: int = SEED,
) -> list[LagResult]:
    """Spearman's rank correlation of ``x`` with ``y`` at each lag, with one band for all of them.

    Parameters
    ----------
    x, y : series of one length, in order of time, without trend.
    lags : by how many places ``y`` is later: a positive lag pairs a value of x with a later one of
        y.
    block : values that stay together when a series is resampled.

    Returns
    -------
    For each lag the correlation, and the half-width of a band around 0 that holds those of all lags
    together with probability ``confidence`` when the series have nothing to do with each other.

    Notes
    -----
    For the band each series is resampled by itself, in blocks of ``block`` values that wrap around,
    so that each keeps its autocorrelation and nothing links the two. Of each such pair the largest
    correlation over the lags is taken, each times the root of its number of pairs; the band at a
    lag is the quantile of these maxima, divided by that root.

    References
    ----------
    Politis, D. N. and Romano, J. P. (1992). A circular block-resampling procedure for stationary
    data. Exploring the Limits of Bootstrap, 263-270.
    Westfall, P. H. and Young, S. S. (1993). Resampling-Based Multiple Testing. Wiley.
    """
    n = len(x)
    pairs = [n - abs(lag) for lag in lags]
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return [LagResult(lag, number, None, None) for lag, number in zip(lags, pairs, strict=True)]
    random = np.random.default_rng(seed)
    other_x, other_y = (series[_blocks(random, n, block, replicates)] for series in (x, y))
    roots = np.sqrt(pairs)
    by_chance = np.column_stack([_correlations(other_x, other_y, lag) for lag in lags])
    largest = np.nanmax(np.abs(by_chance) * roots, axis=1, initial=0.0)
    bound = float(np.quantile(largest, confidence))
    results = []
    for lag, number, root in zip(lags, pairs, roots, strict=True):
        found = float(_correlations(x[np.newaxis], y[np.newaxis], lag)[0])
        is_known = not np.isnan(found)
        results.append(
            LagResult(lag, number, found if is_known else None, bound / root if is_known else None)
        )
    return results


def _blocks(random: np.random.Generator, n: int, block: int, replicates: int) -> NDArray[np.int64]:
    """Places of resampled series: blocks that begin anywhere and wrap around."""
    starts = random.integers(0, n, size=(replicates, -(-n // block), 1))
    return ((starts + np.arange(block)) % n).reshape(replicates, -1)[:, :n]


def _correlations(x: Floats, y: Floats, lag: int) -> Floats:
    """Spearman's correlation of each pair of rows, y by ``lag`` places later."""
    n = x.shape[1]
    first = x[:, max(0, -lag) : n - max(0, lag)]
    second = y[:, max(0, lag) : n - max(0, -lag)]
    ranks = [stats.rankdata(part, axis=1) for part in (first, second)]
    centred = [part - part.mean(axis=1, keepdims=True) for part in ranks]
    spread = np.sqrt((centred[0] ** 2).sum(axis=1) * (centred[1] ** 2).sum(axis=1))
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.clip((centred[0] * centred[1]).sum(axis=1) / spread, -1, 1)
    return found
