"""How far the paper's fix metrics can be trusted: bugs still open, and doubtful links.

Statistics beside the paper's, as in :mod:`perf_assets.core.analyses.robustness`.
"""

from collections.abc import Sequence

import polars as pl

from perf_assets.core.analyses.comparisons import (
    Comparison,
    by_repository,
    by_repository_and_pooled,
    compare,
    complete_months,
)
from perf_assets.core.analyses.robustness import CONFIDENCE, as_json, p_text
from perf_assets.core.statistics.survival import (
    Durations,
    MedianResult,
    kaplan_meier_median,
    log_rank,
)
from perf_assets.months import end_of
from perf_assets.tables import schema_of

SURVIVAL_EVENTS: tuple[dict[str, str], ...] = (
    {"event": "fixed", "closed_without_fix": "left_out"},
    {"event": "fixed", "closed_without_fix": "censored"},
    {"event": "closed"},
)
"""What ends the wait, and what becomes of bugs closed without a fix where that is the fix: they
are out of the count, or watched until they close. Few bugs have a known fix, so that the median
time to a fix is often beyond what was watched, while the time to any close is known."""

_opened, _closed = pl.col("opened_at"), pl.col("closed_at")

DOUBTFUL_LINKS = (
    "issue_number_below_100",
    "written_a_day_before_report",
    "commit_90_days_after_close",
    "commit_serves_five_bugs",
    "fix_of_50_commits",
    "reverted_later",
)
"""The doubts of ``intermediate.link_doubts`` that links are left out for, where each is explained.

That a commit is a revert itself is not among them: what it takes back may have been the bug.
"""


_DAY = 86_400_000_000
"""Microseconds in a day."""


def fix_time_survival(bug_metrics: pl.DataFrame, trend_monthly: pl.DataFrame) -> pl.DataFrame:
    """Median days from report to fix, or close, with open bugs as censored, and a log-rank test.

    Parameters
    ----------
    bug_metrics
        ``marts.bug_metrics``: dataset, repository, is_performance, is_fixed, opened_at, closed_at.
    trend_monthly
        ``marts.trend_monthly``: dataset, repository, month, is_complete. A repository is watched
        until the end of its last complete month: what was opened later is left out, what was
        closed later counts as open, and a repository without a complete month has no bug.

    Returns
    -------
    ``analysis.fix_time_survival``: three rows for each dataset
    and repository (and pooled), one for each of :data:`SURVIVAL_EVENTS`, which stand in
    ``parameters``. ``events_`` columns count the bugs that reached the event. Medians and their
    limits in days, NULL where fewer than half of the group reached it while watched;
    ``statistic`` is the z of the log-rank test, positive when performance bugs are sooner.
    """
    watched = _watched(bug_metrics, trend_monthly)
    rows = [
        (dataset, repository, *_survival_row(bugs.filter("is_watched"), event))
        for dataset, repository, bugs in by_repository_and_pooled(watched)
        for event in SURVIVAL_EVENTS
    ]
    return pl.DataFrame(rows, schema=schema_of("analysis.fix_time_survival"), orient="row")


def link_sensitivity(links: pl.DataFrame) -> pl.DataFrame:
    """Fix time and fix size again, without the links there is reason to doubt.

    Parameters
    ----------
    links
        ``intermediate.counted_links``, the counted links between bug reports and commits: dataset,
        repository, number, sha, is_performance, opened_at, closed_at (NULL when open), additions,
        deletions, doubts (a list of names). A pair that is there several times counts once.

    Returns
    -------
    ``analysis.link_sensitivity``: for each dataset, repository
    (and pooled) and metric (fix_time_days, fix_size) eight rows: with all links, without those of
    each doubt of :data:`DOUBTFUL_LINKS`, and without those of any of them (``left_out`` in
    ``parameters``). ``links`` counts what there is and ``links_left_out`` what the row does
    without; the other columns are those of ``analysis.group_comparisons``, over the closed bugs
    that keep a link.
    """
    pairs = links.unique(["dataset", "repository", "number", "sha"], maintain_order=True)
    selections = [[], *([doubt] for doubt in DOUBTFUL_LINKS), list(DOUBTFUL_LINKS)]
    rows = [
        (dataset, repository, metric, *_sensitivity_row(of_repository, metric, selection))
        for dataset, repository, of_repository in by_repository_and_pooled(pairs)
        for metric in ("fix_time_days", "fix_size")
        for selection in selections
    ]
    return pl.DataFrame(rows, schema=schema_of("analysis.link_sensitivity"), orient="row")


def _watched(bug_metrics: pl.DataFrame, trend_monthly: pl.DataFrame) -> pl.DataFrame:
    """Each bug report with the days it was watched, and what it had come to by then."""
    ends = pl.DataFrame(
        [
            (dataset, repository, end_of(months.get_column("month")[-1]))
            for dataset, repository, months in by_repository(complete_months(trend_monthly))
        ],
        schema={"dataset": pl.String, "repository": pl.String, "end": pl.Datetime("us", "UTC")},
        orient="row",
    )
    opened, closed = _utc("opened_at"), _utc("closed_at")
    is_closed = (closed < pl.col("end")).fill_null(value=False)
    left = pl.when(is_closed).then(closed).otherwise(pl.col("end"))
    joined = bug_metrics.join(ends, on=["dataset", "repository"], how="left", maintain_order="left")
    return joined.select(
        "dataset",
        "repository",
        "is_performance",
        is_watched=(opened < pl.col("end")).fill_null(value=False),
        days=(left - opened).dt.total_microseconds() / _DAY,
        is_closed=is_closed,
        is_fixed=is_closed & pl.col("is_fixed"),
    )


def _survival_row(bugs: pl.DataFrame, event: dict[str, str]) -> tuple[object, ...]:
    if event.get("closed_without_fix") == "left_out":
        bugs = bugs.filter(pl.col("is_fixed") | ~pl.col("is_closed"))
    performance = _durations(bugs.filter("is_performance"), event["event"])
    other = _durations(bugs.filter(~pl.col("is_performance")), event["event"])
    first = kaplan_meier_median(performance, CONFIDENCE)
    second = kaplan_meier_median(other, CONFIDENCE)
    test = log_rank(performance, other)
    return (
        "kaplan_meier_log_rank",
        as_json(**event, confidence=CONFIDENCE, interval="log-log"),
        bugs.height,
        first.n,
        second.n,
        first.n_events,
        second.n_events,
        first.median,
        first.low,
        first.high,
        second.median,
        second.low,
        second.high,
        test.statistic,
        test.pvalue,
        f"performance bugs: {_median_text(first, event)}; others: {_median_text(second, event)}; "
        f"log-rank {p_text(test.pvalue)}",
    )


def _durations(bugs: pl.DataFrame, event: str) -> Durations:
    return Durations(bugs.get_column("days").to_list(), bugs.get_column(f"is_{event}").to_list())


def _median_text(result: MedianResult, event: dict[str, str]) -> str:
    if result.median is None:
        return f"fewer than half {event['event']} while watched"
    return f"half {event['event']} within {result.median:.1f} days"


def _sensitivity_row(
    links: pl.DataFrame, metric: str, left_out: Sequence[str]
) -> tuple[object, ...]:
    doubts = pl.col("doubts").list
    kept = links.filter(~pl.any_horizontal(pl.lit(value=False), *map(doubts.contains, left_out)))
    found = compare(_fixes(kept), metric)
    n_left_out = links.height - kept.height
    return (
        "mann_whitney_u",
        as_json(left_out=list(left_out)),
        links.height,
        n_left_out,
        found.n_performance + found.n_other,
        *found,
        f"without {n_left_out} of {links.height} links: {_comparison_text(found)}",
    )


def _comparison_text(found: Comparison) -> str:
    if found.cliffs_delta is None:
        return "no fixed bugs in one of the groups"
    return (
        f"median {found.median_performance:.2f} of performance bugs, {found.median_other:.2f} of "
        f"others, delta = {found.cliffs_delta:.3f} ({found.magnitude}), {p_text(found.p_value)}"
    )


def _fixes(links: pl.DataFrame) -> pl.DataFrame:
    """One row for each closed bug with a link: its fix time in days and the size of its fix."""
    size = pl.col("additions") + pl.col("deletions")
    fix_time = (_closed - _opened).dt.total_microseconds() / _DAY
    return (
        links.filter(_closed.is_not_null())
        .group_by("dataset", "repository", "number", maintain_order=True)
        .agg(
            pl.col("is_performance").first(),
            fix_time_days=fix_time.first(),
            fix_size=pl.when(size.count() > 0).then(size.sum()),
        )
        .with_columns(is_fixed=pl.lit(value=True))
    )


def _utc(column: str) -> pl.Expr:
    return pl.col(column).dt.convert_time_zone("UTC")
