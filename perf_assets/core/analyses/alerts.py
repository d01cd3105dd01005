"""Alerts: changes of monthly series, one for each cause, with what a person said of it."""

from collections.abc import Sequence

import polars as pl

from perf_assets.core.analyses.alert_series import Raised, full_sentence, raised_changes, sentence
from perf_assets.core.analyses.alert_states import NEW, identifier, months_apart, state_in_force
from perf_assets.core.analyses.group_samples import complete_months
from perf_assets.core.areas.rules import UNKNOWN
from perf_assets.schema import schema_of

TABLE = "marts.alerts"
COUNTS = (
    *("repository", "area", "month", "is_complete"),
    *("opened_performance", "opened_total", "open_performance"),
)
REPORTS = (
    *("repository", "area", "number", "month", "closed_month"),
    *("hours_to_first_comment", "fix_time_days"),
)
"""The columns of the frames of ``raised_changes``."""

NEAR_MONTHS = 1
"""Changes of one cause are at most so many months apart."""

FOLLOWING_MONTHS = 12
"""An area that changes as the repository did, so many months later at most, is of its cause."""

MOST_A_MONTH = 5
"""Alerts of a repository in a month; what else changed then is named in the strongest."""

MOST_ISSUES = 20
"""Issues listed with an alert."""

SAME_SHARE = 1 / 3
"""Of the performance bugs behind a change of the repository so many are an area's own, where the
area is taken for its cause; of two areas, of those of either."""


def alerts(
    trend_monthly: pl.DataFrame,
    bug_metrics: pl.DataFrame,
    alert_states: pl.DataFrame,
    area_monthly: pl.DataFrame,
    bug_areas: pl.DataFrame,
    instrument_changes: pl.DataFrame,
) -> pl.DataFrame:
    """Return changes of the monthly series of each repository, and of its areas.

    Parameters
    ----------
    trend_monthly : ``marts.trend_monthly``; of mined repositories, and complete months alone.
    bug_metrics : ``marts.bug_metrics``: the performance bugs with their times.
    alert_states : ``reviews.alert_states``.
    area_monthly : the same columns as of ``trend_monthly``, by area.
    bug_areas : which reports are of an area: dataset, repository, number, area. One may be of
        several.
    instrument_changes : ``marts.instrument_changes``: repository, month and result. What changed
        in the labelling a month before or after at most is named in the alert.

    Returns
    -------
    ``marts.alerts``.
    """
    months, bugs, months_of_areas, areas = (
        rows.filter(dataset="live")
        for rows in (trend_monthly, bug_metrics, area_monthly, bug_areas)
    )
    whole = pl.lit(None, dtype=pl.String).alias("area")
    is_known = pl.col("area") != UNKNOWN
    counts = [
        months.with_columns(whole).select(COUNTS),
        months_of_areas.filter(is_known).select(COUNTS),
    ]
    closed = pl.col("closed_at").dt.strftime("%Y-%m").alias("closed_month")
    performance = bugs.filter("is_performance").with_columns(closed)
    located = areas.filter(is_known).select("repository", "number", "area")
    reports = [
        performance.with_columns(whole).select(REPORTS),
        performance.join(located, on=["repository", "number"]).select(REPORTS),
    ]
    found = alerts_of(complete_months(pl.concat(counts)), pl.concat(reports), alert_states)
    instruments = instrument_changes.select("repository", "month", "result").rows()
    coinciding = [
        [
            f"{result} in {changed}"
            for of_repository, changed, result in instruments
            if of_repository == repository and months_apart(month, changed) <= NEAR_MONTHS
        ]
        for repository, month in found.select("repository", "month").iter_rows()
    ]
    named = pl.Series("coinciding", coinciding, dtype=pl.List(pl.String))
    return found.with_columns(also_changed=pl.concat_list("also_changed", named))


def alerts_of(
    counts: pl.DataFrame, reports: pl.DataFrame, alert_states: pl.DataFrame
) -> pl.DataFrame:
    """Return the same of repositories and areas, by the frames of ``raised_changes``."""
    rows = []
    for group in grouped(list(raised_changes(counts, reports))):
        lead, *others = group
        group_ids = sorted(map(alert_id, group))
        known = state_in_force(group_ids, alert_states)
        rows.append(
            {
                **vars(lead),  # columns of the same names; what else it has is left out
                "alert_id": alert_id(lead),
                "direction": lead.direction,
                "statistic": lead.change.gain,
                "threshold": lead.change.threshold,
                "p_value": lead.change.p_value,
                "performance_bugs": len(lead.numbers),
                "issues": list(lead.numbers[:MOST_ISSUES]),
                "group_ids": group_ids,
                "also_changed": [sentence(other) for other in others],
                "state": known.get("state", NEW),
                "state_by": known.get("rater"),
                "state_set_at": known.get("imported_at"),
                "state_note": known.get("note"),
                "result": full_sentence(lead),
            }
        )
    return pl.DataFrame(rows, schema=schema_of(TABLE))


def alert_id(raised: Raised) -> str:
    """Return what the alert is known by that ``raised`` leads, or would lead."""
    return identifier(raised.repository, raised.area, raised.series, raised.direction, raised.month)


def grouped(changes: Sequence[Raised]) -> list[list[Raised]]:
    """Return the changes by cause, the strongest of each first; groups in a fixed order.

    Two are of one cause that are at most a month apart and either of the same repository or area,
    or of areas, or a repository and an area, that the same issues move; or that are a repository
    and an area that goes where the repository went.
    """
    groups: list[list[Raised]] = []
    for change in changes:
        joined = [group for group in groups if any(_is_one_cause(change, other) for other in group)]
        groups = [group for group in groups if not any(group is other for other in joined)]
        groups.append([change, *(other for group in joined for other in group)])
    ordered = [sorted(group, key=_strength) for group in groups]
    ordered.sort(key=lambda group: _strength(group[0]))
    kept: dict[tuple[str, str], list[list[Raised]]] = {}
    for group in ordered:
        of_month = kept.setdefault((group[0].repository, group[0].month), [])
        if len(of_month) < MOST_A_MONTH:
            of_month.append(group)
        else:
            of_month[0] += group
    listed = [group for of_month in kept.values() for group in of_month]
    return sorted(
        listed, key=lambda group: (group[0].repository, group[0].month, alert_id(group[0]))
    )


def _is_one_cause(change: Raised, other: Raised) -> bool:
    if change.repository != other.repository:
        return False
    if _follows(change, other) or _follows(other, change):
        return True
    if months_apart(change.month, other.month) > NEAR_MONTHS:
        return False
    if change.area == other.area:
        return True
    numbers, others = set(change.numbers), set(other.numbers)
    return len(numbers & others) >= SAME_SHARE * max(1, len(numbers | others))


def _follows(part: Raised, whole: Raised) -> bool:
    """Return whether an area goes where the whole repository went, within a year of it.

    The fewer reports an area has, the later its change shows, and the worse it is dated.
    """
    is_alike = (part.series, part.direction) == (whole.series, whole.direction)
    if whole.area is not None or part.area is None or not is_alike:
        return False
    is_before = part.month < whole.month
    within = NEAR_MONTHS if is_before else FOLLOWING_MONTHS
    return months_apart(part.month, whole.month) <= within


def _strength(raised: Raised) -> tuple[float, bool, str, str]:
    """Sorts the strongest first, of equal ones the whole repository."""
    margin = raised.change.gain / raised.change.threshold
    return -margin, raised.area is not None, raised.area or "", raised.series
