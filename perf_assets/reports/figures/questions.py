"""Figures of the users' side: how hard questions are, what they are about, both sides by month."""

import polars as pl

from perf_assets.base.sanitize import escape_text
from perf_assets.reports.figures.drawing import AXIS, COOL, INK, WARM, Spec
from perf_assets.reports.figures.figure import Figure, wilson_limits
from perf_assets.reports.figures.panels import estimates, lengths, series, values
from perf_assets.reports.figures.question_kinds import SAYS_MORE
from perf_assets.reports.formats import with_words

SIDES = {"performance questions": COOL, "performance bugs": WARM}

DIFFICULTY = f"""
select
    forum, tag_set, kind, questions, accepted, 100 * accepted_share as estimate,
    100 * accepted_share_low as low, 100 * accepted_share_high as high,
    median_hours_to_accepted, km_median_hours_to_accepted as median_with_waiting_ones
from analysis.question_difficulty
qualify {SAYS_MORE}
order by forum, tag_set <> 'pooled', tag_set, kind <> 'all', kind
"""
DIFFICULTY_VERDICTS = f"""
select forum || ', ' || tag_set, kind || ': ' || result
from analysis.question_difficulty
where kind in ('all', 'other', 'performance')
qualify {SAYS_MORE}
order by forum, tag_set = 'pooled', tag_set, kind
"""
KINDS_FOUND = """
select
    forum, method, split, kind, n, support, f1 as estimate, f1_low as low, f1_high as high,
    "precision", recall
from analysis.question_kind_quality
where is_default
order by forum, is_chosen desc, method, split, kind
"""
KINDS_VERDICTS = """
select forum, printf('kinds by %s, %s test: %s', method, replace(split, '_', ' '), result)
from analysis.question_kind_quality
where is_default and kind = 'macro'
order by forum, is_chosen desc, method, split
"""
STEMS = f"""
select forum, tag_set, entry, stem_set, questions, only_by_it, all_questions, percent
from analysis.keyword_stem_hits
where entry <> 'any' and stem = entry
qualify {SAYS_MORE}
order by forum, tag_set = 'pooled', tag_set, questions desc, entry, stem_set
"""
STEMS_VERDICTS = f"""
select forum || ', ' || tag_set, printf(
    '%d of %d questions (%.1f %% [%.1f, %.1f]) have a performance stem %s',
    questions, all_questions, percent, low, high, replace(stem_set, '_', ' ')
)
from (
    select *, {wilson_limits("questions", "all_questions")}
    from analysis.keyword_stem_hits
    where all_questions > 0
)
where entry = 'any'
qualify {SAYS_MORE}
order by forum, tag_set = 'pooled', tag_set, stem_set
"""
BOTH = """
select
    repository, forum, month, questions, performance_questions as candidates,
    checked_performance_questions as checked, confirmed_performance_questions as confirmed,
    bug_reports, performance_bugs, fixed_performance_bugs
from marts.questions_vs_bugs_monthly
order by month desc, repository, forum
"""
BOTH_MONTHS = """
select repository, forum, month, side as color, number as value
from marts.questions_vs_bugs_monthly
unpivot (number for side in (performance_questions, performance_bugs))
order by repository, forum, month, side
"""
LAGS = """
select repository, forum, lag, n, statistic, low, high, band, is_outside_band
from analysis.question_bug_correlation
order by repository, forum, lag
"""
BOTH_COUNTED = """
select repository || ' and ' || forum, printf(
    '%s to %s: %d of %d questions are candidates for performance by their stems (%.1f %%), %s; '
    || '%d of %d bug reports are performance bugs (%.1f %%), %d of them were fixed',
    min(month), max(month),
    sum(performance_questions),
    sum(questions) filter (where performance_questions is not null),
    100 * sum(performance_questions)
        / sum(questions) filter (where performance_questions is not null),
    case
        when coalesce(sum(checked_performance_questions), 0) = 0 then 'of which nobody checked any'
        else printf(
            'of which people checked %d and confirmed %d', sum(checked_performance_questions),
            sum(confirmed_performance_questions)
        )
    end,
    sum(performance_bugs), sum(bug_reports), 100 * sum(performance_bugs) / sum(bug_reports),
    sum(fixed_performance_bugs)
)
from marts.questions_vs_bugs_monthly
group by repository, forum
order by repository, forum
"""
BOTH_VERDICTS = """
select
    repository || ' and ' || forum, case
        when max(statistic) is null then any_value(result)
        when not bool_or(coalesce(is_outside_band, false))
            then 'at no lag of a year each way do they go together more than by chance'
        else 'they go together more than by chance where performance bugs are later by so many '
            || 'months: ' || string_agg(printf('%+d (%+.2f)', lag, statistic), ', ' order by lag)
                filter (where is_outside_band)
            || '; a season or an event that both follow does so too'
    end
from analysis.question_bug_correlation
group by repository, forum
order by repository, forum
"""


def _difficulty(rows: pl.DataFrame) -> list[Spec]:
    sets = rows.filter(pl.col("tag_set") != "pooled")
    named = with_words(sets.with_columns(what="kind"))
    measure = "questions with an accepted answer, percent"
    return [
        estimates(f"{forum}, {tags}", part, measure)
        for (forum, tags), part in named.group_by("forum", "tag_set", maintain_order=True)
    ]


def _stems(rows: pl.DataFrame) -> list[Spec]:
    """Questions by stem as the set is meant, the most frequent first; none that finds nothing."""
    found = rows.filter(pl.col("questions") > 0, stem_set="as_meant").with_columns(what="entry")
    return [
        lengths(
            f"{forum}, {tags}",
            part.with_columns(value="questions"),
            f"questions with the stem, of {part['all_questions'][0]:,}",
        )
        for (forum, tags), part in found.group_by("forum", "tag_set", maintain_order=True)
    ]


def _kinds(rows: pl.DataFrame) -> list[Spec]:
    named = with_words(rows.with_columns(what="kind", color="split"))
    measure = "F1 against people's judgement, 95 %"
    return [
        estimates(f"{forum}, by {method}", part, measure)
        for (forum, method), part in named.group_by("forum", "method", maintain_order=True)
    ]


def _months(rows: pl.DataFrame) -> list[Spec]:
    named = rows.with_columns(pl.col("color").str.replace("_", " "))
    return [
        series(f"{repository} and {forum}", part, "in the month", SIDES)
        for (repository, forum), part in named.group_by("repository", "forum", maintain_order=True)
    ]


def _lags(rows: pl.DataFrame) -> list[Spec]:
    testable = rows.drop_nulls("statistic")
    return [
        _correlations(f"{repository} and {forum}", part)
        for (repository, forum), part in testable.group_by(
            "repository", "forum", maintain_order=True
        )
    ]


def _correlations(title: str, rows: pl.DataFrame) -> Spec:
    """Correlations at each lag, dark where they are outside the band around 0."""
    x: Spec = {
        "field": "lag",
        "type": "quantitative",
        "title": "months by which bugs are later",
        "scale": {"domain": [-12.5, 12.5], "nice": False},
        "axis": {"values": list(range(-12, 13, 4))},
    }
    y: Spec = {
        "type": "quantitative",
        "title": "rank correlation",
        "scale": {"domain": [-1, 1]},
    }
    drawn = rows.select("lag", "statistic", "is_outside_band", up="band", down=-pl.col("band"))
    band = {"type": "area", "opacity": 0.25, "color": AXIS}
    outside = rows.filter("is_outside_band")["lag"].to_list()
    return {
        "title": escape_text(title),
        "description": "Rank correlations at lags of a year each way; outside the band of chance: "
        + (", ".join(map(str, outside)) or "none"),
        "data": {"values": values(drawn)},
        "width": 380,
        "height": 150,
        "layer": [
            {
                "mark": band,
                "encoding": {"x": x, "y": y | {"field": "down"}, "y2": {"field": "up"}},
            },
            {
                "mark": {"type": "bar", "size": 6},
                "encoding": {
                    "x": x,
                    "y": y | {"field": "statistic"},
                    "color": {
                        "condition": {"test": "datum.is_outside_band", "value": INK},
                        "value": AXIS,
                    },
                    "tooltip": [
                        {"field": "lag", "type": "quantitative"},
                        {"field": "statistic", "type": "quantitative", "format": ".2f"},
                        {"field": "up", "type": "quantitative", "title": "band", "format": ".2f"},
                    ],
                },
            },
        ],
    }


FIGURES = {
    "analysis.question_difficulty": Figure(
        "How hard questions are to get answered", DIFFICULTY, DIFFICULTY_VERDICTS, _difficulty
    ),
    "analysis.question_kind_quality": Figure(
        "How well kinds of questions are recognised", KINDS_FOUND, KINDS_VERDICTS, _kinds
    ),
    "analysis.keyword_stem_hits": Figure(
        "Which stems mark performance questions", STEMS, STEMS_VERDICTS, _stems
    ),
    "marts.questions_vs_bugs_monthly": Figure(
        "What users ask and what is reported, month by month",
        BOTH,
        BOTH_COUNTED,
        _months,
        BOTH_MONTHS,
    ),
    "analysis.question_bug_correlation": Figure(
        "Do performance questions and performance bugs go together?", LAGS, BOTH_VERDICTS, _lags
    ),
}
