"""How many questions are of each kind, and how hard they are: accepted answers, the time to them.

The measures are those of Zhang et al. (ISSRE 2019), share and time, and beside them what a
reviewer would expect: intervals, and times with the questions that still wait as censored.
"""

from collections.abc import Iterator

import polars as pl

from perf_assets.core.analyses.group_samples import CONFIDENCE, POOLED
from perf_assets.core.statistics.agreement import Proportion, wilson_interval
from perf_assets.core.statistics.minimum_events import COMPARISON, CURVE
from perf_assets.core.statistics.survival import (
    Durations,
    MedianResult,
    kaplan_meier_median,
    kaplan_meier_shares,
)
from perf_assets.schema import schema_of

ALL, OTHER, PERFORMANCE = "all", "other", "performance"
"""Every question; every one that is not about performance, which the study compares with."""

WITHIN_HOURS = (1.0, 24.0, 720.0)
"""The times at which the share of answered questions is reported: an hour, a day, 30 days."""


def question_difficulty(groups: pl.DataFrame, waits: pl.DataFrame) -> pl.DataFrame:
    """Shares of answered and accepted questions and the time until then, over all months.

    Parameters
    ----------
    groups : ``intermediate.question_groups``: forum, question_id, tag_set, kind.
    waits : ``intermediate.question_answer_times``: forum, question_id, month, is_answered,
        is_accepted, is_endorsed, hours_to_first_answer, hours_to_accepted, hours_to_endorsed,
        hours_watched, views, score. Resolved is a question of which an answer is accepted or, where
        none is, endorsed by its asker, as the study has it. A question that still waits is censored
        at ``hours_watched``; one whose answer came at an unknown time has its share in the counts,
        and none in the times.

    Returns
    -------
    ``analysis.question_difficulty``: one row for each forum, tag set (and :data:`POOLED`, where a
    question of several tag sets counts once) and kind that has a question; where kinds were
    decided, :data:`OTHER` too. Intervals of shares are Wilson's; those of Kaplan-Meier medians come
    from the log-log interval of survival. Times that cannot be computed are NULL. The kinds are
    ranked within their tag set, equal ones alike.
    """
    groups = _with_other(groups.select("forum", "question_id", "tag_set", "kind"))
    pooled = groups.with_columns(tag_set=pl.lit(POOLED)).unique()
    rows = [
        row
        for part in (groups, pooled)
        for row in _rows(part.join(waits, on=["forum", "question_id"], how="inner"))
    ]
    found = pl.DataFrame(rows, schema=schema_of("analysis.question_difficulty"), orient="row")
    return _ranked(found).sort("forum", pl.col("tag_set") == POOLED, "tag_set", "kind")


def _with_other(groups: pl.DataFrame) -> pl.DataFrame:
    """Return the groups and, in forums where some are about performance, those of all others."""
    performance = groups.filter(kind=PERFORMANCE)
    others = groups.filter(kind=ALL).join(performance, on="forum", how="semi")
    others = others.join(performance, on=["forum", "question_id"], how="anti")
    return pl.concat([groups, others.with_columns(kind=pl.lit(OTHER))])


def _ranked(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with ranks of the kinds: most asked, most accepted, longest wait first."""
    is_kind = ~pl.col("kind").is_in([ALL, OTHER])
    return rows.with_columns(
        pl.when(is_kind)
        .then(pl.when(is_kind).then(value).rank("min", descending=True).over("forum", "tag_set"))
        .cast(pl.Int64)
        .alias(rank)
        for rank, value in (
            ("question_rank", "questions"),
            ("accepted_rank", "accepted_share"),
            ("wait_rank", "median_hours_to_accepted"),
        )
    )


def _rows(questions: pl.DataFrame) -> Iterator[tuple[object, ...]]:
    parts = questions.partition_by("forum", "tag_set", "kind", as_dict=True)
    for (forum, tag_set, kind), group in parts.items():
        every = parts[forum, tag_set, ALL].height
        # Sums of floats depend on the order in their last digit.
        yield (forum, tag_set, kind, *_difficulty(group.sort("question_id"), every))


def _difficulty(group: pl.DataFrame, every: int) -> tuple[object, ...]:
    n, accepted = group.height, int(group["is_accepted"].sum())
    asked = wilson_interval(n, every, CONFIDENCE)
    share = wilson_interval(accepted, n, CONFIDENCE)
    answered = wilson_interval(int(group["is_answered"].sum()), n, CONFIDENCE)
    waiting = _durations(group, "is_accepted", "hours_to_accepted")
    until_accepted = kaplan_meier_median(waiting, CONFIDENCE)
    resolved = _resolved(group)
    of_resolved = wilson_interval(int(resolved["is_resolved"].sum()), n, CONFIDENCE)
    until_resolved = _durations(resolved, "is_resolved", "hours_to_resolved")
    until_answered = _durations(group, "is_answered", "hours_to_first_answer")
    hours, views = _summary(group["hours_to_accepted"]), _summary(group["views"])
    hours_resolved = _summary(resolved["hours_to_resolved"])
    return (
        group["month"].min(),
        group["month"].max(),
        n,
        *(asked.share, asked.low, asked.high, None),
        *(share.successes, share.share, share.low, share.high, None),
        n - accepted,
        *hours,
        None,
        waiting.n,
        *_waits(waiting, until_accepted),
        of_resolved.successes - accepted,
        *(of_resolved.successes, of_resolved.share, of_resolved.low, of_resolved.high),
        *hours_resolved[:2],
        _waits(until_resolved, kaplan_meier_median(until_resolved, CONFIDENCE))[0],
        *(answered.successes, answered.share, answered.low, answered.high),
        *_summary(group["hours_to_first_answer"])[:2],
        until_answered.n,
        *_waits(until_answered, kaplan_meier_median(until_answered, CONFIDENCE)),
        *(views[0], views[1], views[3], group["views"].max()),
        *_summary(group["score"])[:2],
        CONFIDENCE,
        _result(share, of_resolved, hours[0], hours_resolved[0], until_accepted),
    )


def _resolved(group: pl.DataFrame) -> pl.DataFrame:
    """Return the group with ``is_resolved`` and ``hours_to_resolved``: accepted or endorsed."""
    endorsed = pl.col("is_endorsed").fill_null(value=False)
    return group.with_columns(
        is_resolved=pl.col("is_accepted") | endorsed,
        hours_to_resolved=pl.coalesce("hours_to_accepted", "hours_to_endorsed"),
    )


def _durations(group: pl.DataFrame, event: str, hours: str) -> Durations:
    with_time = group.filter(pl.col(hours).is_not_null() | ~pl.col(event))
    is_event = with_time[event].to_list()
    waited = with_time.select(pl.when(event).then(hours).otherwise("hours_watched")).to_series()
    return Durations(waited.to_list(), is_event)


def _waits(cases: Durations, median: MedianResult) -> tuple[float | None, ...]:
    if sum(cases.is_event) < CURVE:
        return (None,) * (3 + len(WITHIN_HOURS))
    return (median.median, median.low, median.high, *kaplan_meier_shares(cases, WITHIN_HOURS))


def _summary(values: pl.Series) -> tuple[float | None, float | None, float | None, float | None]:
    """Median, mean, and interpolated quartiles of the values that are there; None of too few."""
    present = values.drop_nulls().cast(pl.Float64)
    if present.len() < COMPARISON:
        return None, None, None, None
    median, mean = present.median(), present.mean()
    assert isinstance(median, float) and isinstance(mean, float)
    return median, mean, present.quantile(0.25, "linear"), present.quantile(0.75, "linear")


def _result(
    share: Proportion,
    resolved: Proportion,
    hours: float | None,
    hours_resolved: float | None,
    watched: MedianResult,
) -> str:
    assert share.share is not None and share.low is not None and share.high is not None
    text = (
        f"{100 * share.share:.1f} % of {share.n:,} questions have an accepted answer "
        f"[{100 * share.low:.1f}, {100 * share.high:.1f}]"
    )
    if resolved.successes > share.successes:
        assert resolved.share is not None and resolved.low is not None and resolved.high is not None
        text += (
            f", {100 * resolved.share:.1f} % [{100 * resolved.low:.1f}, {100 * resolved.high:.1f}] "
            "with answers that the asker endorses in a comment"
        )
    if share.successes < COMPARISON:
        return f"{text}; too few to say how soon"
    if hours is not None:
        text += f"; the median accepted answer came after {hours:.1f} hours"
        if hours_resolved is not None and resolved.successes > share.successes:
            text += f" ({hours_resolved:.1f} with endorsed ones)"
    if watched.median is None:
        return f"{text}; fewer than half of the questions had one by the end of the data"
    return f"{text}; half of the questions have one within {watched.median:.1f} hours"
