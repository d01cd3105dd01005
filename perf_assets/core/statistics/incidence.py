"""Competing ends of a wait: cumulative incidence (Aalen-Johansen), and a test of two groups."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from perf_assets.core.statistics.samples import Floats


@dataclass(frozen=True)
class Waits:
    """Waits that may end in several ways, of which one is of interest.

    days : from the start of each to its end or, of one that goes on, to when it was seen last.
    ends : 1 for the end of interest, 2 for any other end, 0 for a wait that goes on.
    watched : days from the start to when the watching ended, whatever happened before; not below
        ``days``.
    """

    days: Floats
    ends: NDArray[np.int64]
    watched: Floats

    @property
    def n(self) -> int:
        """The number of waits."""
        return len(self.days)


@dataclass(frozen=True)
class Incidence:
    """The share of waits with the event of interest within a time; None where unknown.

    ``n_events`` counts those that were seen to end so within the time; ``low`` and ``high`` are
    None too where nothing ended so.
    """

    time: float
    n_events: int
    share: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class IncidenceTest:
    """What :func:`gray_test` found: ``statistic`` is z, above 0 when x ends so sooner or oftener.

    ``heterogeneity_pvalue`` is of equal differences in all strata; None with fewer than two.
    """

    statistic: float | None
    pvalue: float | None
    heterogeneity_pvalue: float | None


def cumulative_incidence(
    waits: Waits, times: Sequence[float], confidence: float = 0.95
) -> list[Incidence]:
    """Return the share of waits with the event within each of ``times`` (Aalen-Johansen).

    Other ends compete: a wait that ended otherwise never has the event of interest, while one that
    goes on may. The naive way, to take other ends for waits that go on, says too much. None beyond
    the longest wait while one still goes on.

    Notes
    -----
    Variance by the delta method (Marubini and Valsecchi), limits on the scale of log(-log(share)).

    References
    ----------
    Aalen, O. O. and Johansen, S. (1978). An empirical transition matrix for non-homogeneous Markov
    chains based on censored observations. Scandinavian Journal of Statistics 5, 141-150.
    Marubini, E. and Valsecchi, M. G. (1995). Analysing Survival Data from Clinical Trials and
    Observational Studies, chapter 10. Wiley.

    Examples
    --------
    >>> days = np.array([1.0, 2, 3, 4])
    >>> waits = Waits(days, np.array([1, 2, 1, 0]), np.full(4, 4.0))
    >>> [round(found.share, 3) for found in cumulative_incidence(waits, [1, 3])]
    [0.25, 0.5]
    """
    table = _table(waits)
    z = float(stats.norm.ppf((1 + confidence) / 2))
    return [_incidence(waits, table, time, z) for time in times]


def gray_test(groups: Iterable[tuple[Waits, Waits]]) -> IncidenceTest:
    """Return whether two groups have the event of interest equally often over time, two-sided.

    Parameters
    ----------
    groups : the waits x and y of each stratum; only within a stratum are they compared.

    Notes
    -----
    Gray's test compares the hazards of the cumulative incidence, for which a wait that ended
    otherwise stays at risk until its watching ends. Here that moment is known for every wait, since
    only the end of watching cuts waits off; then the test is the log-rank test in which such a wait
    goes on until there (Fine and Gray, section 3.1: censoring complete data), and needs no
    estimate of the censoring. Without other ends it is the log-rank test itself.

    References
    ----------
    Gray, R. J. (1988). A class of K-sample tests for comparing the cumulative incidence of a
    competing risk. Annals of Statistics 16, 1141-1154.
    Fine, J. P. and Gray, R. J. (1999). A proportional hazards model for the subdistribution of a
    competing risk. Journal of the American Statistical Association 94, 496-509.
    """
    parts = [_log_rank(x, y) for x, y in groups]
    informative = [(score, variance) for score, variance in parts if variance > 0]
    score, variance = sum(part[0] for part in informative), sum(part[1] for part in informative)
    if not informative:
        return IncidenceTest(None, None, None)
    z = score / variance**0.5
    pvalue = 2 * float(stats.norm.sf(abs(z)))
    if len(informative) < 2:
        return IncidenceTest(z, pvalue, None)
    excess = sum(part**2 / own for part, own in informative) - z**2
    return IncidenceTest(z, pvalue, float(stats.chi2.sf(max(excess, 0.0), len(informative) - 1)))


@dataclass(frozen=True)
class _Table:
    """At each time at which a wait ended: those at risk, and what happened."""

    times: Floats
    at_risk: Floats
    of_interest: Floats
    ended: Floats
    survival_before: Floats
    share: Floats


def _table(waits: Waits) -> _Table:
    times = np.unique(waits.days[waits.ends > 0])
    ordered = np.sort(waits.days)
    at_risk = (waits.n - np.searchsorted(ordered, times, side="left")).astype(np.float64)
    index = np.searchsorted(times, waits.days[waits.ends > 0])
    ended = np.bincount(index, minlength=len(times)).astype(np.float64)
    of_interest = np.bincount(
        np.searchsorted(times, waits.days[waits.ends == 1]), minlength=len(times)
    ).astype(np.float64)
    survival = np.cumprod(1 - ended / at_risk)
    before: Floats = np.concatenate([np.ones(1), survival])[: len(times)]
    # Sums of floats go a little beyond the 1 that shares end at.
    share = np.minimum(np.cumsum(before * of_interest / at_risk), 1.0)
    return _Table(times, at_risk, of_interest, ended, before, share)


def _incidence(waits: Waits, table: _Table, time: float, z: float) -> Incidence:
    n_events = int(np.sum((waits.ends == 1) & (waits.days <= time)))
    last = int(np.searchsorted(table.times, time, side="right"))
    is_known = waits.n > 0 and (
        time <= waits.days.max() or not np.any(waits.ends[waits.days == waits.days.max()] == 0)
    )
    if not is_known:
        return Incidence(time, n_events, None, None, None)
    share = float(table.share[last - 1]) if last else 0.0
    if not 0 < share < 1:
        return Incidence(time, n_events, share, None, None)
    left = share - table.share[:last]
    n, of_interest, ended = table.at_risk[:last], table.of_interest[:last], table.ended[:last]
    before = table.survival_before[:last]
    with np.errstate(divide="ignore", invalid="ignore"):
        # Where nobody is left nothing is left of the share either.
        of_others = np.where(n > ended, left**2 * ended / (n * (n - ended)), 0.0)
    variance = np.sum(
        of_others
        + before**2 * of_interest * (n - of_interest) / n**3
        - 2 * left * before * of_interest / n**2
    )
    reach = z * float(np.sqrt(max(variance, 0.0))) / (share * abs(np.log(share)))
    with np.errstate(over="ignore"):  # a share next to 1 has a lower limit of 0
        low, high = (share ** float(np.exp(way * reach)) for way in (1, -1))
    return Incidence(time, n_events, share, low, high)


def _log_rank(x: Waits, y: Waits) -> tuple[float, float]:
    """Observed less expected ends of x, and the variance."""
    days = np.concatenate(
        [np.where(waits.ends == 2, waits.watched, waits.days) for waits in (x, y)]
    )
    is_end = np.concatenate([waits.ends == 1 for waits in (x, y)])
    is_x = np.arange(x.n + y.n) < x.n
    times = np.unique(days[is_end])

    def at_risk(chosen: Floats) -> Floats:
        before = np.searchsorted(np.sort(chosen), times, side="left")
        return (len(chosen) - before).astype(np.float64)

    n, n_x = at_risk(days), at_risk(days[is_x])
    ends, ends_x = (
        np.bincount(np.searchsorted(times, days[chosen]), minlength=len(times))
        for chosen in (is_end, is_end & is_x)
    )
    share = n_x / n
    several = np.maximum(n - 1, 1)
    variance = ends * share * (1 - share) * (n - ends) / several
    return float(np.sum(ends_x - ends * share)), float(variance.sum())
