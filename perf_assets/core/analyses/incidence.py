"""How soon bugs are fixed, when closing without a fix competes: cumulative incidence.

Of a bug that was closed without a fix nobody waits for one any more. To leave such bugs out, or to
take them for bugs that still may be fixed, says that many more are fixed, and sooner, than are.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl

from perf_assets.base.months import end_of
from perf_assets.core.analyses.formatting import p_text
from perf_assets.core.analyses.group_samples import (
    CONFIDENCE,
    are_false,
    are_true,
    by_repository,
    by_repository_and_pooled,
    complete_months,
    kinds_of,
    percent,
    strata_of,
)
from perf_assets.core.statistics.incidence import (
    Incidence,
    IncidenceTest,
    Waits,
    cumulative_incidence,
    gray_test,
)
from perf_assets.core.statistics.minimum_events import APART, CURVE, too_few
from perf_assets.core.statistics.power import curves_power
from perf_assets.schema import schema_of

EVENTS = {"fixed": "fixed", "closed_without_fix": "closed without a fix", "closed": "closed"}
"""What may end the wait, and its words. ``closed`` is either of the two others."""

DAYS = (30, 90, 365)
CURVE_DAYS = (
    *(0, 1, 2, 3, 5, 7, 10, 14, 21, 30, 45, 60, 75, 90, 120, 150, 180, 240, 300, 365),
    *range(425, 3 * 365 + 1, 61),
)
"""Where the curves are drawn, to three years."""

DAY = 86_400_000_000
"""Microseconds in a day."""

_READ = ("is_performance", "is_closed", "is_fixed_then", "days", "watched_days")


def fix_incidence(bug_metrics: pl.DataFrame, trend_monthly: pl.DataFrame) -> pl.DataFrame:
    """Return the share of bugs fixed, closed without a fix, or closed within 30, 90 and 365 days.

    Parameters
    ----------
    bug_metrics : ``marts.bug_metrics``: dataset, repository, is_performance, is_fixed, opened_at,
        closed_at.
    trend_monthly : ``marts.trend_monthly``: dataset, repository, month, is_complete. A repository
        is watched until the end of its last complete month: what was opened later is left out, what
        was closed later counts as open, and a repository without a complete month has no bug.

    Returns
    -------
    ``analysis.fix_incidence``: for each dataset, repository (and pooled), event of :data:`EVENTS`
    and number of days a row with the shares of both kinds of bugs in percent (Aalen-Johansen), and
    the test of the whole curves of the event (Gray), which is the same for all days. Pooled tests
    compare within each repository. Of a kind with too few events the share is NULL, and with it
    the test.
    """
    rows = [
        (dataset, repository, event, *row)
        for dataset, repository, bugs in by_repository_and_pooled(
            watched(bug_metrics, trend_monthly)
        )
        for event in EVENTS
        for row in _event_rows(bugs, event)
    ]
    return pl.DataFrame(rows, schema=schema_of("analysis.fix_incidence"), orient="row")


def fix_curves(bug_metrics: pl.DataFrame, trend_monthly: pl.DataFrame) -> pl.DataFrame:
    """Return the cumulative incidence of fixes and of closes without one, over three years.

    Parameters and population as of :func:`fix_incidence`.

    Returns
    -------
    ``analysis.fix_curves``: a row for each dataset, repository (and pooled), event ``fixed`` or
    ``closed_without_fix``, kind of bug and each of :data:`CURVE_DAYS` that was watched; none of a
    kind with fewer events than a curve needs
    (:data:`~perf_assets.core.statistics.minimum_events.CURVE`).
    """
    rows = [
        (dataset, repository, event, is_performance, int(share.time), *_figures(share))
        for dataset, repository, bugs in by_repository_and_pooled(
            watched(bug_metrics, trend_monthly)
        )
        for event in ("fixed", "closed_without_fix")
        for is_performance, waits in zip((True, False), _both_waits(bugs, event), strict=True)
        for share in _incidence(waits, CURVE_DAYS)
        if share.share is not None
    ]
    return pl.DataFrame(rows, schema=schema_of("analysis.fix_curves"), orient="row")


class FixShares(NamedTuple):
    """Both kinds of bugs: what share was fixed within a time, and whether their curves differ."""

    n_performance: int
    n_other: int
    performance: Incidence
    other: Incidence
    test: IncidenceTest
    too_few_reason: str | None


def fixed_within(bugs: pl.DataFrame, days: int) -> FixShares:
    """Return the share of each kind of :func:`watched` bugs that was fixed within some days."""
    both = _both_waits(bugs, "fixed")
    performance, other = (_incidence(waits, [days])[0] for waits in both)
    test, _, reason = _curves_test(bugs, "fixed")
    return FixShares(both[0].n, both[1].n, performance, other, test, reason)


def _incidence(waits: Waits, days: Sequence[float]) -> list[Incidence]:
    """Return the shares within some days; unknown where too few reached the event for a curve."""
    shares = cumulative_incidence(waits, days, CONFIDENCE)
    if _events(waits) >= CURVE:
        return shares
    return [replace(share, share=None, low=None, high=None) for share in shares]


def _events(waits: Waits) -> int:
    return int(np.sum(waits.ends == 1))


def _curves_test(bugs: pl.DataFrame, event: str) -> tuple[IncidenceTest, float | None, str | None]:
    """Gray's test of both curves, its power, and why there is none."""
    waits = [_both_waits(stratum, event) for stratum in strata_of(bugs, _READ)]
    strata = [pair for pair in waits if all(group.n for group in pair)]
    is_of_both = all(any(pair[kind].n for pair in waits) for kind in (0, 1))
    counted = strata if is_of_both else waits
    performance, other = (sum(_events(pair[kind]) for pair in counted) for kind in (0, 1))
    reason = too_few("compare", CURVE, performance, other, EVENTS[event])
    if is_of_both and not strata:
        reason = APART
    if reason is not None:
        return IncidenceTest(None, None, None), None, reason
    share = sum(pair[0].n for pair in strata) / sum(pair[0].n + pair[1].n for pair in strata)
    return gray_test(strata), curves_power(performance + other, share), None


def watched(bug_metrics: pl.DataFrame, trend_monthly: pl.DataFrame) -> pl.DataFrame:
    """Return the bug reports opened while their repository was watched, as :func:`with_waits`."""
    return with_waits(bug_metrics, trend_monthly).filter("is_watched")


def with_waits(bug_metrics: pl.DataFrame, trend_monthly: pl.DataFrame) -> pl.DataFrame:
    """Return all bug reports with what they had come to when the watching of their repository
    ended.

    Adds ``days`` from opening to close or the end of watching, ``watched_days`` to the end of
    watching, ``is_closed`` and ``is_fixed_then`` as of that end, and ``is_watched``.
    """
    ends = pl.DataFrame(
        [
            (dataset, repository, end_of(months.get_column("month")[-1]))
            for dataset, repository, all_months in by_repository(trend_monthly)
            if (months := complete_months(all_months)).height
        ],
        schema={"dataset": pl.String, "repository": pl.String, "end": pl.Datetime("us", "UTC")},
        orient="row",
    )
    opened, closed = (
        pl.col(column).dt.convert_time_zone("UTC") for column in ("opened_at", "closed_at")
    )
    is_closed = (closed < pl.col("end")).fill_null(value=False)
    left = pl.when(is_closed).then(closed).otherwise(pl.col("end"))
    joined = bug_metrics.join(ends, on=["dataset", "repository"], how="left", maintain_order="left")
    return joined.with_columns(
        is_watched=(opened < pl.col("end")).fill_null(value=False),
        days=(left - opened).dt.total_microseconds() / DAY,
        watched_days=(pl.col("end") - opened).dt.total_microseconds() / DAY,
        is_closed=is_closed,
        is_fixed_then=is_closed & pl.col("is_fixed"),
    )


def _event_rows(bugs: pl.DataFrame, event: str) -> Iterator[tuple[object, ...]]:
    first, second = _both_waits(bugs, event)
    test, power, reason = _curves_test(bugs, event)
    shares = [_incidence(waits, DAYS) for waits in (first, second)]
    for performance, other in zip(*shares, strict=True):
        yield (
            int(performance.time),
            first.n,
            second.n,
            *_figures(performance),
            *_figures(other),
            test.statistic,
            test.pvalue,
            test.heterogeneity_pvalue,
            power,
            reason is not None,
            reason
            or f"{EVENTS[event]} within {performance.time:.0f} days: {share_text(performance)} of "
            f"performance bugs, {share_text(other)} of others; Gray's test: {p_text(test.pvalue)}",
        )


def share_text(incidence: Incidence) -> str:
    """Return a share with its interval for a sentence."""
    if incidence.share is None:
        return "an unknown share"
    text = f"{100 * incidence.share:.1f} %"
    if incidence.low is None or incidence.high is None:
        return text
    return f"{text} [{100 * incidence.low:.1f} to {100 * incidence.high:.1f}]"


def _figures(incidence: Incidence) -> Sequence[float | int | None]:
    limits = (incidence.share, incidence.low, incidence.high)
    return incidence.n_events, *map(percent, limits)


def _both_waits(bugs: pl.DataFrame, event: str) -> tuple[Waits, Waits]:
    """Return the waits of performance bugs and of others."""
    is_closed, fixed = bugs["is_closed"].to_numpy(), bugs["is_fixed_then"]
    has_event = {
        "fixed": are_true(fixed),
        "closed_without_fix": is_closed & are_false(fixed),
        "closed": is_closed,
    }
    ends = np.where(has_event[event], 1, np.where(is_closed, 2, 0)).astype(np.int64)
    days, watched_days = bugs["days"].to_numpy(), bugs["watched_days"].to_numpy()
    first, second = (Waits(days[kind], ends[kind], watched_days[kind]) for kind in kinds_of(bugs))
    return first, second
