"""Cliff's delta of two samples with its interval: what the strata of one repository must give."""

from dataclasses import dataclass

from perf_assets.core.statistics.samples import (
    Values,
    cliffs_delta,
    delta_limits,
    delta_variance,
    present,
)


@dataclass(frozen=True)
class CliffsDeltaInterval:
    """Cliff's delta with its confidence limits; ``low`` and ``high`` are None if not estimable."""

    n_x: int
    n_y: int
    statistic: float | None
    low: float | None
    high: float | None
    confidence: float


def cliffs_delta_interval(x: Values, y: Values, confidence: float = 0.95) -> CliffsDeltaInterval:
    """Cliff's delta with its asymmetric confidence interval.

    Missing values are dropped. With fewer than two values in a sample the variance cannot be
    estimated: the limits are None. Samples that do not overlap (delta is 1 or -1) have no variance
    either: as in R's effsize, the delta next to it, (n_x n_y - 1) / (n_x n_y), stands in for it in
    the inner limit, and the outer limit is delta itself.

    R: ``effsize::cliff.delta(x, y, use.unbiased = FALSE, use.normal = TRUE)``.
    """
    first, second = present(x), present(y)
    delta = cliffs_delta(first, second)
    n_x, n_y = len(first), len(second)
    if delta is None or min(n_x, n_y) < 2:
        return CliffsDeltaInterval(n_x, n_y, delta, None, None, confidence)
    inner = delta * (n_x * n_y - 1) / (n_x * n_y) if abs(delta) == 1 else delta
    variance = delta_variance(first, second, inner)
    low, high = delta_limits(delta, variance, n_x * n_y, confidence)
    return CliffsDeltaInterval(n_x, n_y, delta, low, high, confidence)
