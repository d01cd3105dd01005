"""Times to an event that some cases have not reached yet: Kaplan-Meier medians and shares."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from perf_assets.core.statistics.samples import Floats

_ROUNDING = 1e-9
"""A survival of one half is a product of fractions and may miss it by a rounding error."""


@dataclass(frozen=True)
class Durations:
    """Times from the start of each case to its event, or to the moment it was last seen without.

    ``durations`` and ``is_event`` (False: censored) are of one length, without missing values, in
    one unit of time.
    """

    durations: Sequence[float]
    is_event: Sequence[bool]

    @property
    def n(self) -> int:
        """The number of cases."""
        return len(self.durations)

    @property
    def n_events(self) -> int:
        """The number of cases that reached the event."""
        return sum(self.is_event)


@dataclass(frozen=True)
class MedianResult:
    """What :func:`kaplan_meier_median` found; None stands for a value beyond what was observed."""

    n: int
    n_events: int
    median: float | None
    low: float | None
    high: float | None
    confidence: float


def kaplan_meier_median(cases: Durations, confidence: float = 0.95) -> MedianResult:
    """Return the median time to the event, with cases that have not reached it as censored.

    The median is the first time at which the Kaplan-Meier survival is one half or less. It is None
    when survival stays above one half, as with many censored cases, or without any case. The
    limits are the first times at which the lower and upper bounds of the log-log interval of
    survival are one half or less; each may be None for the same reason. Where survival is 0 that
    interval is undefined: its lower bound is taken as 0, its upper bound as unknown.

    References
    ----------
    Kaplan, E. L. and Meier, P. (1958). Nonparametric estimation from incomplete observations.
    Journal of the American Statistical Association 53, 457-481.
    Brookmeyer, R. and Crowley, J. (1982). A confidence interval for the median survival time.
    Biometrics 38, 29-41.

    Examples
    --------
    >>> kaplan_meier_median(Durations([1, 2, 3, 4, 5], [True, True, False, True, True])).median
    4.0
    """
    if not cases.n_events:
        return MedianResult(cases.n, 0, None, None, None, confidence)
    survival = stats.ecdf(_censored(cases)).sf
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        # Where survival is 1 or 0 the log-log interval is undefined and scipy says so each time.
        warnings.simplefilter("ignore", RuntimeWarning)
        interval = survival.confidence_interval(confidence, method="log-log")
    none_left = survival.probabilities <= _ROUNDING
    low = np.where(none_left, 0.0, interval.low.probabilities)
    return MedianResult(
        n=cases.n,
        n_events=cases.n_events,
        median=_first_half(survival.quantiles, survival.probabilities),
        low=_first_half(survival.quantiles, low),
        high=_first_half(survival.quantiles, interval.high.probabilities),
        confidence=confidence,
    )


def kaplan_meier_shares(cases: Durations, times: Sequence[float]) -> list[float | None]:
    """Return the share of cases that reached the event by each of the ``times``, the others as
    censored.

    One less the Kaplan-Meier survival at that time; an event at the time itself counts. None beyond
    the longest duration, when a case is still without the event: nobody was seen for so long; and
    without any case.

    Examples
    --------
    >>> kaplan_meier_shares(Durations([1, 2, 3, 4], [True, False, True, False]), [1, 3, 5])
    [0.25, 0.625, None]
    """
    if not cases.n:
        return [None for _ in times]
    longest = max(cases.durations)
    if not cases.n_events:
        return [0.0 if time <= longest else None for time in times]
    survival = stats.ecdf(_censored(cases)).sf
    is_over = bool(survival.probabilities[-1] <= _ROUNDING)
    return [
        1.0 - float(survival.evaluate(time)) if time <= longest or is_over else None
        for time in times
    ]


def _censored(cases: Durations) -> stats.CensoredData:
    durations = np.asarray(cases.durations, dtype=np.float64)
    is_event = np.asarray(cases.is_event, dtype=bool)
    return stats.CensoredData(uncensored=durations[is_event], right=durations[~is_event])


def _first_half(times: Floats, survival: Floats) -> float | None:
    reached = np.flatnonzero(survival <= 0.5 + _ROUNDING)
    return float(times[reached[0]]) if len(reached) else None
