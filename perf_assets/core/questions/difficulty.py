"""How hard questions are, by tag set and kind: accepted answers, and the time until they came.

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
from perf_assets.tables import schema_of

WITHIN_HOURS = (1.0, 24.0, 720.0)
"""The times at which the share of answered questions is reported: an hour, a day, 30 days."""


def question_difficulty(groups: pl.DataFrame, waits: pl.DataFrame) -> pl.DataFrame:
    """Shares of answered and accepted questions and the time until then, over all months.

    Parameters
    ----------
    groups
        ``intermediate.question_groups``: forum, question_id, tag_set, kind.
    waits
        ``intermediate.question_answer_times``: forum, question_id, month, is_answered, is_accepted,
        hours_to_first_answer, hours_to_accepted, hours_watched, views, score. A question that
        still waits is censored at ``hours_watched``; one whose answer came at an unknown time has
        its share in the counts, and none in the times.

    Returns
    -------
    ``analysis.question_difficulty``: one row for each forum, tag set (and :data:`POOLED`, where a
    question of several tag sets counts once) and kind that has a question. Intervals of shares are
    Wilson's; those of Kaplan-Meier medians come from the log-log interval of survival. Times that
    cannot be computed are NULL.
    """
    groups = groups.select("forum", "question_id", "tag_set", "kind")
    pooled = groups.with_columns(tag_set=pl.lit(POOLED)).unique()
    rows = [
        row
        for part in (groups, pooled)
        for row in _rows(part.join(waits, on=["forum", "question_id"], how="inner"))
    ]
    found = pl.DataFrame(rows, schema=schema_of("analysis.question_difficulty"), orient="row")
    return found.sort("forum", pl.col("tag_set") == POOLED, "tag_set", "kind")


def _rows(questions: pl.DataFrame) -> Iterator[tuple[object, ...]]:
    parts = questions.partition_by("forum", "tag_set", "kind", as_dict=True)
    for (forum, tag_set, kind), group in parts.items():
        # Sums of floats depend on the order in their last digit.
        yield (forum, tag_set, kind, *_difficulty(group.sort("question_id")))


def _difficulty(group: pl.DataFrame) -> tuple[object, ...]:
    n, accepted = group.height, int(group["is_accepted"].sum())
    share = wilson_interval(accepted, n, CONFIDENCE)
    answered = wilson_interval(int(group["is_answered"].sum()), n, CONFIDENCE)
    waiting = _durations(group, "is_accepted", "hours_to_accepted")
    until_accepted = kaplan_meier_median(waiting, CONFIDENCE)
    until_answered = _durations(group, "is_answered", "hours_to_first_answer")
    return (
        group["month"].min(),
        group["month"].max(),
        n,
        *(share.successes, share.share, share.low, share.high),
        *_centre(group["hours_to_accepted"]),
        waiting.n,
        *_waits(waiting, until_accepted),
        *(answered.successes, answered.share, answered.low, answered.high),
        *_centre(group["hours_to_first_answer"]),
        until_answered.n,
        *_waits(until_answered, kaplan_meier_median(until_answered, CONFIDENCE)),
        *_centre(group["views"]),
        *_centre(group["score"]),
        CONFIDENCE,
        _result(share, _centre(group["hours_to_accepted"])[0], until_accepted),
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


def _centre(values: pl.Series) -> tuple[float | None, float | None]:
    """Median and mean of the values that are there; None of too few."""
    present = values.drop_nulls().cast(pl.Float64)
    if present.len() < COMPARISON:
        return None, None
    median, mean = present.median(), present.mean()
    assert isinstance(median, float) and isinstance(mean, float)
    return median, mean


def _result(share: Proportion, hours: float | None, watched: MedianResult) -> str:
    assert share.share is not None and share.low is not None and share.high is not None
    text = (
        f"{100 * share.share:.1f} % of {share.n:,} questions have an accepted answer "
        f"[{100 * share.low:.1f}, {100 * share.high:.1f}]"
    )
    if share.successes < COMPARISON:
        return f"{text}; too few to say how soon"
    if hours is not None:
        text += f", in the median given within {hours:.1f} hours"
    if watched.median is None:
        return f"{text}; of all of them fewer than half have one while they were watched"
    return f"{text}; half of all of them have one within {watched.median:.1f} hours"
