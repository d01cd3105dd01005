"""Two groups compared within strata, where values may come in clusters that share a cause."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, stats
from scipy.sparse.csgraph import connected_components

from perf_assets.core.statistics.samples import (
    Floats,
    Values,
    cliffs_delta,
    delta_limits,
    delta_variance,
    mann_whitney_u,
    present,
    wins_and_losses,
)


@dataclass(frozen=True)
class Stratum:
    """The values of two groups, without missing ones, and the cluster that each value is of."""

    x: Floats
    y: Floats
    clusters_x: NDArray[np.int64]
    clusters_y: NDArray[np.int64]

    @property
    def clusters(self) -> int:
        """The number of clusters."""
        return len(np.unique(np.concatenate([self.clusters_x, self.clusters_y])))


@dataclass(frozen=True)
class StratifiedComparison:
    """What :func:`compare_strata` found; figures are None where a group is empty everywhere.

    n_x, n_y, clusters : values of both groups, and clusters.
    method : ``mann_whitney_u`` or ``van_elteren``.
    statistic : U of x for the one, z for the other.
    pvalue : two-sided, values taken as independent.
    pvalue_clustered : the same with values of a cluster taken as dependent.
    delta, low, high : Cliff's delta with its interval, which allows for clusters; the limits are
        None where a group of a single stratum has fewer than two values.
    heterogeneity_pvalue : of equal deltas in all strata; None with fewer than two.
    events_x, events_y : clusters of each group, in the strata that have both groups; in all where
        a group is empty everywhere.
    null_error : standard error of delta where the groups are alike.
    """

    n_x: int
    n_y: int
    clusters: int
    method: str
    statistic: float | None
    pvalue: float | None
    pvalue_clustered: float | None
    delta: float | None
    low: float | None
    high: float | None
    heterogeneity_pvalue: float | None
    events_x: int
    events_y: int
    null_error: float | None = None

    @property
    def is_apart(self) -> bool:
        """Return whether both groups have values, and yet no stratum has both groups."""
        return self.n_x > 0 and self.n_y > 0 and self.events_x == self.events_y == 0


def alone(x: Values, y: Values) -> Stratum:
    """Return a stratum in which each value is a cluster of its own; missing ones are left out."""
    first, second = present(x), present(y)
    index = np.arange(len(first) + len(second))
    return Stratum(first, second, index[: len(first)], index[len(first) :])


def linked_clusters(left: Sequence[object], right: Sequence[object]) -> NDArray[np.int64]:
    """Return the cluster of each pair, where pairs that share a left or a right side are of one
    cluster.

    Examples
    --------
    >>> linked_clusters([1, 2, 2, 3], ["a", "a", "b", "c"]).tolist()
    [0, 0, 0, 1]
    """
    _, first = np.unique(np.asarray(left), return_inverse=True)
    _, second = np.unique(np.asarray(right), return_inverse=True)
    if not len(first):
        return np.zeros(0, dtype=np.int64)
    size = int(first.max()) + 1
    number = size + int(second.max()) + 1
    graph = sparse.coo_array((np.ones(len(first)), (first, size + second)), shape=(number, number))
    _, component = connected_components(graph, directed=False)
    return np.unique(component[first], return_inverse=True)[1].astype(np.int64)


def design_effect(stratum: Stratum) -> float:
    """By what factor clusters widen the variance of Cliff's delta; not below 1.

    The variance of the area under the curve with values of a cluster dependent, by that with each
    value a cluster of its own (Obuchowski). Delta is twice the area less 1, so that the factor is
    the same.

    References
    ----------
    Obuchowski, N. A. (1997). Nonparametric analysis of clustered ROC curve data. Biometrics 53,
    567-578.
    """
    n_x, n_y = len(stratum.x), len(stratum.y)
    if stratum.clusters == n_x + n_y or min(n_x, n_y) < 2:
        return 1.0
    alone_x, alone_y = np.arange(n_x), n_x + np.arange(n_y)
    alone = _area_variance(stratum.x, stratum.y, alone_x, alone_y)
    clustered = _area_variance(stratum.x, stratum.y, stratum.clusters_x, stratum.clusters_y)
    return max(1.0, clustered / alone) if alone > 0 else 1.0


def compare_strata(
    strata: Sequence[Stratum], confidence: float = 0.95, minimum: int = 1
) -> StratifiedComparison:
    """Compare x with y, within each stratum alone, and put the strata together.

    Where a group has fewer than ``minimum`` events (see :class:`StratifiedComparison`), figures are
    None.

    Notes
    -----
    With one stratum that has both groups: Mann-Whitney U, as
    :func:`~perf_assets.core.statistics.samples.mann_whitney_u`. With several: van Elteren's test,
    which weights the rank sum of a stratum by 1 / (its values + 1), the best weights where the
    difference is the same in all strata; its delta is the mean of theirs by the weights n_x n_y /
    (n_x + n_y + 1), and heterogeneity is Cochran's Q of the deltas, with the variances that alike
    groups have. Of tests and intervals the
    variance is multiplied by :func:`design_effect` of each stratum.

    References
    ----------
    van Elteren, P. H. (1960). On the combination of independent two sample tests of Wilcoxon.
    Bulletin of the International Statistical Institute 37, 351-361.
    Cochran, W. G. (1954). The combination of estimates from different experiments. Biometrics 10,
    101-129.
    """
    n_x, n_y = sum(len(stratum.x) for stratum in strata), sum(len(stratum.y) for stratum in strata)
    clusters = sum(stratum.clusters for stratum in strata)
    usable = [stratum for stratum in strata if len(stratum.x) and len(stratum.y)]
    counted = usable if n_x and n_y else strata
    events_x = sum(len(np.unique(stratum.clusters_x)) for stratum in counted)
    events_y = sum(len(np.unique(stratum.clusters_y)) for stratum in counted)
    if min(events_x, events_y) < max(minimum, 1):
        method = "van_elteren" if len(usable) > 1 else "mann_whitney_u"
        nothing = (None,) * 7
        return StratifiedComparison(n_x, n_y, clusters, method, *nothing, events_x, events_y)
    if len(usable) == 1:
        (only,) = usable
        test = mann_whitney_u(only.x, only.y)
        method, statistic, pvalue = "mann_whitney_u", test.statistic, test.pvalue
    else:
        method, statistic = "van_elteren", _van_elteren(usable, [1.0] * len(usable))
        pvalue = _two_sided(statistic)
    effects = [design_effect(stratum) for stratum in usable]
    clustered = _two_sided(_van_elteren(usable, effects)) if max(effects) > 1 else pvalue
    weights, null = _weights(usable), _null_variances(usable, effects)
    delta, low, high, between = _delta(usable, effects, weights, null, confidence)
    return StratifiedComparison(
        n_x,
        n_y,
        clusters,
        method,
        statistic,
        pvalue,
        clustered,
        delta,
        low,
        high,
        between,
        events_x,
        events_y,
        math.sqrt(float(weights**2 @ null)),
    )


def _weights(strata: Sequence[Stratum]) -> Floats:
    """Return the share of each stratum in the mean of their deltas."""
    sizes = ((len(stratum.x), len(stratum.y)) for stratum in strata)
    weights: Floats = np.array([x * y / (x + y + 1) for x, y in sizes])
    weights /= weights.sum()
    return weights


def _null_variances(strata: Sequence[Stratum], effects: Sequence[float]) -> Floats:
    """Return the variance of the delta of each stratum where its groups are alike."""
    return np.array(
        [
            4 * _null_variance(stratum) / (len(stratum.x) * len(stratum.y)) ** 2 * effect
            for stratum, effect in zip(strata, effects, strict=True)
        ]
    )


def _two_sided(z: float) -> float:
    return 2 * float(stats.norm.sf(abs(z)))


def _van_elteren(strata: Sequence[Stratum], effects: Sequence[float]) -> float:
    """Return the statistic of the test, z; 0 where all values are the same."""
    score = variance = 0.0
    for stratum, effect in zip(strata, effects, strict=True):
        n = len(stratum.x) + len(stratum.y)
        wins, losses = wins_and_losses(stratum.x, stratum.y)
        score += float(wins.sum() - losses.sum()) / 2 / (n + 1)
        variance += effect * _null_variance(stratum) / (n + 1) ** 2
    return score / math.sqrt(variance) if variance > 0 else 0.0


def _null_variance(stratum: Stratum) -> float:
    """Return the variance of U where both groups are alike, with ties."""
    n_x, n_y = len(stratum.x), len(stratum.y)
    n = n_x + n_y
    _, ties = np.unique(np.concatenate([stratum.x, stratum.y]), return_counts=True)
    tied = float(np.sum(ties.astype(np.float64) ** 3 - ties)) / (n * (n - 1))
    return n_x * n_y / 12 * (n + 1 - tied)


def _delta(
    strata: Sequence[Stratum],
    effects: Sequence[float],
    weights: Floats,
    null: Floats,
    confidence: float,
) -> tuple[float | None, float | None, float | None, float | None]:
    deltas = np.array([cliffs_delta(stratum.x, stratum.y) for stratum in strata], dtype=np.float64)
    sizes = [(len(stratum.x), len(stratum.y)) for stratum in strata]
    # A mean lies between its values; that of many rounds beyond them, where all are 1 or -1.
    delta = float(np.clip(weights @ deltas, deltas.min(), deltas.max()))
    if len(strata) == 1 and min(sizes[0]) < 2:
        return delta, None, None, None
    # Deltas of small groups have hardly a variance of their own: of alike groups they have one.
    variances = np.array(
        [
            alike
            if min(size) < 2 or _has_constant_group(stratum)
            else delta_variance(stratum.x, stratum.y, _inner(stratum, part)) * effect
            for stratum, size, effect, part, alike in zip(
                strata, sizes, effects, deltas, null, strict=True
            )
        ]
    )
    pairs = sum(x * y for x, y in sizes)
    low, high = delta_limits(delta, float(weights**2 @ variances), pairs, confidence)
    if len(strata) < 2 or not np.all(null > 0):
        return delta, low, high, None
    mean = float(np.sum(deltas / null) / np.sum(1 / null))
    q = float(np.sum((deltas - mean) ** 2 / null))
    return delta, low, high, float(stats.chi2.sf(q, len(strata) - 1))


def _has_constant_group(stratum: Stratum) -> bool:
    """Return whether all values of a group are the same while the groups overlap.

    Such a group seems to add nothing to the variance of delta: an interval without its part would
    leave out 0 where the test finds nothing.
    """
    x, y = stratum.x, stratum.y
    is_constant = x.min() == x.max() or y.min() == y.max()
    return bool(is_constant and x.min() <= y.max() and y.min() <= x.max())


def _inner(stratum: Stratum, delta: float) -> float:
    """Delta, or the one next to it where the groups do not overlap, which has no variance."""
    pairs = len(stratum.x) * len(stratum.y)
    return float(delta) * (pairs - 1) / pairs if abs(delta) == 1 else float(delta)


def _area_variance(
    x: Floats, y: Floats, clusters_x: NDArray[np.int64], clusters_y: NDArray[np.int64]
) -> float:
    """Variance of P(X > Y) + P(X = Y) / 2 with values of a cluster dependent (Obuchowski)."""
    wins, losses = wins_and_losses(x, y)
    of_x = 0.5 + (wins - losses) / (2 * len(y))
    y_losses, y_wins = wins_and_losses(y, x)
    of_y = 0.5 + (y_wins - y_losses) / (2 * len(x))
    area = float(of_x.mean())
    _, index = np.unique(np.concatenate([clusters_x, clusters_y]), return_inverse=True)
    first, second = index[: len(x)], index[len(x) :]
    number = int(index.max()) + 1
    sum_x = np.bincount(first, weights=of_x - area, minlength=number)
    sum_y = np.bincount(second, weights=of_y - area, minlength=number)
    n_x, n_y = len(np.unique(first)), len(np.unique(second))
    if min(n_x, n_y) < 2:
        return 0.0
    s_x = n_x / ((n_x - 1) * len(x)) * float(sum_x @ sum_x)
    s_y = n_y / ((n_y - 1) * len(y)) * float(sum_y @ sum_y)
    both = number / (number - 1) * float(sum_x @ sum_y)
    return s_x / len(x) + s_y / len(y) + 2 * both / (len(x) * len(y))
