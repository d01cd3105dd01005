"""Change points of a monthly series: months from which on its level is another one.

A series is a sum over the events of a month and how many there were: performance bugs among bug
reports (a share), or normal scores of waiting times. Its segments are found by PELT, the exact
search of Killick, Fearnhead and Eckley (2012), Journal of the American Statistical Association 107,
1590-1598, with the deviance of the segments as cost, so that a month weighs as much as its events.

The penalty of a change is what the best single change gains in one of a thousand histories of the
same months, sizes and mean without a change, by the tail of 999 simulated ones. What months vary
more than independent events would, and what one month hands on to the next, divides the gain; both
are estimated from differences of months, which a few changes of level hardly touch (von Neumann,
1941; Tecuapetla-Gomez and Munk, 2017), and estimated again in each simulated history.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from perf_assets.core.statistics.samples import Floats

FALSE_ALARM_SHARE = 0.001
"""In how many histories without a change one is found; tests/benchmarks/alerts.py measures it."""

SIMULATIONS = 999
TAIL_SHARE = 0.1
"""Of the simulated gains those by which the tail is known."""

LEAST_EXCESS = 1.0
"""Half of what the excess of a chi-squared value is."""

SHORTEST_MONTHS = 3
"""Months on each side of a change: with fewer a single odd month would be one."""

LEAST_MONTHS = 12
"""Months with events that a series needs."""

LEAST_GAIN = 10.8
"""Of a single split chosen beforehand, without a change, one in a thousand gains more (chi-squared
with one degree of freedom); of the best of many more do. Below it nothing need be simulated."""

MOST_AUTOCORRELATION = 0.6
LEAST_SPREAD = 0.25
"""Variance of a month's events at least: of next to none a single one would be a wonder."""

SEED = 20221003

Kind = Literal["share", "scores"]


@dataclass(frozen=True)
class MonthlySeries:
    """A series by month, in order, none left out.

    Attributes
    ----------
    kind : ``share``: ``events`` of ``totals`` are successes. ``scores``: ``events`` is the sum of
        ``totals`` values of mean 0 and variance 1.
    events, totals : as long as there are months; months without anything have 0 in both.
    """

    kind: Kind
    events: Floats
    totals: Floats


@dataclass(frozen=True)
class Change:
    """A change of level at month ``at`` between those from ``start`` on and those before ``end``.

    Attributes
    ----------
    gain, threshold : how much better two levels describe the months than one, as a likelihood ratio
        divided by what months vary, and what it had to be.
    p_value : probability that the best change of a history without any gains as much.
    """

    start: int
    at: int
    end: int
    gain: float
    threshold: float
    p_value: float


def change_points(series: MonthlySeries) -> list[Change]:
    """Return the changes of level in ``series``, in order; none if it is too short."""
    if np.count_nonzero(series.totals) < LEAST_MONTHS:
        return []
    costs = _segment_costs(series)
    scales, gains = _scales_and_gains(series.kind, series.events[None, :], series.totals)
    scale, gain = float(scales[0]), float(gains[0])
    double = _best_double_gain(costs) / scale
    if gain < LEAST_GAIN and double < 2 * LEAST_GAIN:
        return []
    chance = _chance(_null_gains(series))
    if gain <= chance.threshold and double <= 2 * chance.threshold:
        return []
    return list(_changes(series, costs / scale, chance))


@dataclass(frozen=True)
class _Chance:
    """The upper tail of what chance alone gains: exponential from its ``start`` on.

    A gain is a maximum of chi-squared values, whose tail falls off by e for every 2; by the mean
    excess over the start the share beyond is known better than by the few beyond it.
    """

    start: float
    mean_excess: float

    @property
    def threshold(self) -> float:
        """Return what is reached with FALSE_ALARM_SHARE."""
        return self.start + self.mean_excess * float(np.log(TAIL_SHARE / FALSE_ALARM_SHARE))

    def p_value(self, gain: float) -> float:
        """Return the probability of ``gain``, which is above the start."""
        return TAIL_SHARE * float(np.exp(-(gain - self.start) / self.mean_excess))


def _chance(gains: Floats) -> _Chance:
    start = float(np.quantile(gains, 1 - TAIL_SHARE))
    beyond = gains[gains > start] - start  # of few events many gains may be the same
    return _Chance(start, max(float(beyond.mean()) if beyond.size else 0.0, LEAST_EXCESS))


def _changes(series: MonthlySeries, costs: Floats, chance: _Chance) -> Iterator[Change]:
    threshold = chance.threshold
    ends = _segment_ends(costs, threshold)
    for start, at, end in zip([0, *ends], ends, ends[1:], strict=False):
        gain = float(costs[start, end] - costs[start, at] - costs[at, end])
        if _gain_without_a_month(series, costs, start, at, end) < threshold / 2:
            continue  # a single month speaks for it, such as one in which all old ones were closed
        yield Change(start, at, end, gain, threshold, chance.p_value(gain))


def _segment_ends(costs: Floats, penalty: float) -> list[int]:
    """Return the ends of the segments that cost least, each with ``penalty``.

    By optimal partitioning: Jackson et al., An algorithm for optimal partitioning of data on an
    interval (IEEE Signal Processing Letters 12, 2005). What is best up to an end is the best up to
    some start before it, and one segment more.
    """
    months = costs.shape[0] - 1
    least = np.full(months + 1, np.inf)
    least[0] = 0.0
    starts = np.zeros(months + 1, dtype=np.intp)
    for end in range(SHORTEST_MONTHS, months + 1):
        sums = least[: end - SHORTEST_MONTHS + 1] + costs[: end - SHORTEST_MONTHS + 1, end]
        starts[end] = sums.argmin()
        least[end] = sums[starts[end]] + penalty
    ends, end = [], months
    while end > 0:
        ends.append(end)
        end = int(starts[end])
    return ends[::-1]


def _segment_costs(series: MonthlySeries) -> Floats:
    """Return the deviance of each segment, by its first month and the month after its last."""
    events = np.concatenate([[0.0], np.cumsum(series.events)])
    totals = np.concatenate([[0.0], np.cumsum(series.totals)])
    return _deviance(series.kind, events - events[:, None], totals - totals[:, None])


def _deviance(kind: Kind, events: Floats, totals: Floats) -> Floats:
    """Twice the negative log-likelihood at its maximum, but for what depends on no segments."""
    if kind == "scores":
        found: Floats = np.zeros(np.broadcast_shapes(events.shape, totals.shape))
        np.divide(-(events**2), totals, out=found, where=totals > 0)
        return found
    rest = totals - events
    return 2 * (_times_log(totals) - _times_log(events) - _times_log(rest))


def _times_log(values: Floats) -> Floats:
    """Return the values times their logarithms; 0 of 0."""
    found: Floats = values * np.log(np.maximum(values, 1e-300))
    return found


def _scales_and_gains(kind: Kind, events: Floats, totals: Floats) -> tuple[Floats, Floats]:
    """Return of each row of ``events``: its scale about its best single change, and what that gains
    by it.

    A change would else be taken for something that months hand on.
    """
    before, whole = np.cumsum(events, axis=1), np.cumsum(totals)
    inner = slice(SHORTEST_MONTHS - 1, len(totals) - SHORTEST_MONTHS)
    k, n = before[:, inner], whole[inner]
    all_k, all_n = before[:, -1:], whole[-1]
    split = _deviance(kind, k, n) + _deviance(kind, all_k - k, all_n - n)
    best = split.argmin(axis=1)
    gains = _deviance(kind, all_k, np.asarray(all_n))[:, 0] - split.min(axis=1)
    first_k, first_n = np.take_along_axis(k, best[:, None], axis=1)[:, 0], n[best]
    is_after = np.arange(len(totals))[None, :] > (best + SHORTEST_MONTHS - 1)[:, None]
    level_before, level_after = (
        np.divide(k_of, n_of, out=np.zeros_like(k_of), where=n_of > 0)[:, None]
        for k_of, n_of in ((first_k, first_n), (all_k[:, 0] - first_k, all_n - first_n))
    )
    scales = _scale(kind, events, totals, np.where(is_after, level_after, level_before))
    return scales, gains / scales


def _best_double_gain(costs: Floats) -> float:
    """Return how much the best two changes gain together."""
    last = costs.shape[0] - 1
    inner = np.arange(SHORTEST_MONTHS, last - SHORTEST_MONTHS + 1)
    split = costs[0, inner][:, None] + costs[np.ix_(inner, inner)] + costs[inner, last][None, :]
    apart = inner[None, :] - inner[:, None] >= SHORTEST_MONTHS
    return float(costs[0, last] - split[apart].min()) if apart.any() else 0.0


def _scale(kind: Kind, events: Floats, totals: Floats, levels: Floats) -> Floats:
    """Return how many times as much sums over months vary as those of independent events; at least
    1.

    ``levels`` are what each month is expected to have of each of its ``totals``.
    """
    there = totals > 0
    k, n, level = events[:, there], totals[there], levels[:, there]
    spread = n * level * (1 - level) if kind == "share" else n
    residuals = (k - n * level) / np.sqrt(np.maximum(spread, LEAST_SPREAD))
    near = np.mean(np.diff(residuals, axis=1) ** 2, axis=1) / 2
    far = np.mean((residuals[:, 2:] - residuals[:, :-2]) ** 2, axis=1) / 2
    # By chance a ratio of n months differs from 1 by about 1 / sqrt(n).
    lasting = far / np.maximum(near, 1e-12) - 1 - 1 / np.sqrt(len(n))
    lasting = np.clip(lasting, 0, MOST_AUTOCORRELATION)
    scale: Floats = np.maximum(near * (1 + lasting) / (1 - lasting) ** 2, 1)
    return scale


def _null_gains(series: MonthlySeries) -> Floats:
    """Return the gains of the best change in simulated histories without a change."""
    draw = np.random.default_rng(SEED)
    shape = (SIMULATIONS, len(series.totals))
    sizes = series.totals
    if series.kind == "share":
        share = series.events.sum() / sizes.sum()
        events: Floats = draw.binomial(sizes.astype(np.int64), share, shape).astype(float)
    else:
        events = draw.standard_normal(shape) * np.sqrt(sizes)
    return _scales_and_gains(series.kind, events, sizes)[1]


def _gain_without_a_month(
    series: MonthlySeries, costs: Floats, start: int, at: int, end: int
) -> float:
    """Return the least gain of the change when one of its months is left out."""
    whole = costs[start, end] - costs[start, at] - costs[at, end]
    raw = _raw_gain(series, start, at, end)
    least = min(_raw_gain(series, start, at, end, month) for month in range(start, end))
    return least * float(whole) / raw if raw > 0 else 0.0


def _raw_gain(
    series: MonthlySeries, start: int, at: int, end: int, without: int | None = None
) -> float:
    """Return the gain of the change, not divided by what months vary, without one of its months."""
    kept = np.ones(len(series.totals))
    if without is not None:
        kept[without] = 0
    events, totals = series.events * kept, series.totals * kept
    k = np.array([events[start:at].sum(), events[at:end].sum()])
    n = np.array([totals[start:at].sum(), totals[at:end].sum()])
    apart = _deviance(series.kind, k, n).sum()
    return float(_deviance(series.kind, k.sum(keepdims=True), n.sum(keepdims=True))[0] - apart)
