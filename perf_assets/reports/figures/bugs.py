"""Figures of single bugs: how soon they are fixed, how they differ, and what that hangs on."""

import polars as pl

from perf_assets.base.sanitize import escape_text
from perf_assets.reports.figures import distributions
from perf_assets.reports.figures.drawing import KINDS, Spec
from perf_assets.reports.figures.figure import P_TEXT, Figure
from perf_assets.reports.figures.panels import colored, estimates, values
from perf_assets.reports.queries import OF_TESTS

METRICS = {
    "fix_time_days": "fix time",
    "fix_size": "fix size",
    "hours_to_first_comment": "time to first comment",
    "comments": "comments",
    "commentators": "commentators",
}
EVENTS = {"fixed": "fixed", "closed_without_fix": "closed without a fix"}
LABELS = ("study", "without_weak", "strong_alone", "widened")
DELTA = "Cliff's delta; above 0 performance bugs have more"
POOLED_LAST = "order by repository = 'pooled', repository"

COMPARED = f"""
select
    tests.repository, tests.metric, tests.n_performance, tests.n_other, tests.median_performance,
    tests.median_other, tests.cliffs_delta as estimate, effects.cliffs_delta_low as low,
    effects.cliffs_delta_high as high, tests.magnitude, tests.p_value_clustered as p,
    effects.p_value_holm as p_adjusted, tests.heterogeneity_p_value as p_of_equal_deltas
from analysis.group_comparisons as tests
left join analysis.effect_sizes as effects using (dataset, repository, metric)
where tests.dataset = 'live' and {OF_TESTS.format("group_comparisons")}
order by
    tests.repository = 'pooled', tests.repository,
    list_position({list(METRICS)}, tests.metric)
"""
# Metrics that are too few for the same reason share a sentence.
EFFECTS = f"""
with results as (
    select
        tests.repository, replace(tests.metric, '_', ' ') as metric, tests.result, tests.is_too_few,
        list_position({list(METRICS)}, tests.metric) as place
    from analysis.effect_sizes as tests
    where tests.dataset = 'live' and {OF_TESTS.format("effect_sizes")}
)

select repository, string_agg(metric, ', ' order by place) || ': ' || result
from results
group by repository, result, is_too_few
order by repository = 'pooled', repository, is_too_few, min(place)
"""
WITHIN = f"""
select
    tests.repository, event, days, n_performance, n_other,
    percent_performance, percent_performance_low as performance_low,
    percent_performance_high as performance_high,
    percent_other, percent_other_low as other_low, percent_other_high as other_high, p_value as p
from analysis.fix_incidence as tests
where tests.dataset = 'live' and {OF_TESTS.format("fix_incidence")}
order by event <> 'fixed', tests.repository = 'pooled', tests.repository, days
"""
FIXED = f"""
select tests.repository, result
from analysis.fix_incidence as tests
where
    tests.dataset = 'live' and tests.event = 'fixed' and tests.days = 365
    and {OF_TESTS.format("fix_incidence")}
order by tests.repository = 'pooled', tests.repository
"""
CURVES = """
select
    repository, event, is_performance, days, percent,
    coalesce(percent_low, percent) as low, coalesce(percent_high, percent) as high
from analysis.fix_curves
where
    dataset = 'live' and repository <> 'pooled'
    and exists (
        from analysis.fix_incidence as fixed
        where
            fixed.dataset = fix_curves.dataset and fixed.repository = fix_curves.repository
            and fixed.event = 'fixed' and fixed.events_performance + fixed.events_other > 0
    )
order by repository, event, is_performance, days
"""
YEARS = """
select
    repository, event, is_performance, days, reached, percent, percent_low as low, percent_high as
    high
from analysis.fix_curves
where dataset = 'live' and repository <> 'pooled' and days in (30, 90, 180, 365, 730)
order by event <> 'fixed', repository, is_performance desc, days
"""
LIVES = f"""
select
    tests.repository, introducer, role, introduced_performance, introduced_other,
    median_days_performance, median_days_other, cliffs_delta as estimate,
    case when is_too_few then 'too few' else magnitude end as magnitude, p_value as p,
    too_few_reason
from analysis.lifetime_comparisons as tests
where tests.dataset = 'live' and {OF_TESTS.format("lifetime_comparisons")}
order by role, tests.repository = 'pooled', tests.repository
"""
LIVED = f"""
select repository, coalesce(too_few_reason, printf(
    'performance bugs lived %.0f days in the median before they were reported, others %.0f: '
    || 'delta = %.3f (%s), %s, from %d and %d bugs whose introducing commit was found',
    median_days_performance, median_days_other, estimate, magnitude, {P_TEXT.format("p")},
    introduced_performance, introduced_other
))
from ({LIVES.strip()})
where role = 'result' and introduced_performance + introduced_other > 0
"""


def sensitivity(table: str, variant: str, base: str, matters: str = "true") -> tuple[str, str]:
    """Query and verdicts of how far effects move; ``variant`` says what was done otherwise.

    ``base`` is the condition of the rows that are the result itself, ``matters`` that of the rows
    that can differ from it.
    """
    rows = f"""
select
    repository, metric, {variant} as variant, n_performance, n_other,
    cliffs_delta as estimate, magnitude, p_value as p
from analysis.{table} as tests
where dataset = 'live' and {matters} and {OF_TESTS.format(table)}
qualify not bool_or(is_too_few and {base}) over (partition by repository, metric)
order by repository = 'pooled', repository, list_position({list(METRICS)}, metric), variant
"""
    verdicts = f"""
with moved as (
    select
        repository, metric, any_value(cliffs_delta) filter (where {base}) as delta,
        any_value(p_value) filter (where {base}) as p,
        min(cliffs_delta) filter (where not {base}) as lowest,
        max(cliffs_delta) filter (where not {base}) as highest,
        max(p_value) filter (where not {base}) as highest_p
    from analysis.{table} as tests
    where dataset = 'live' and {matters} and {OF_TESTS.format(table)}
    group by repository, metric
)

select repository, printf(
    '%s: delta = %.3f, %s; otherwise from %.3f to %.3f, at most %s',
    replace(metric, '_', ' '), delta, {P_TEXT.format("p")}, lowest, highest,
    {P_TEXT.format("highest_p")}
)
from moved
where delta is not null and lowest is not null
order by repository = 'pooled', repository, list_position({list(METRICS)}, metric)
"""
    return rows, verdicts


LEFT_OUT = "json_extract_string(parameters, '$.left_out')"
LINKS, LINKS_VERDICTS = sensitivity(
    "link_sensitivity",
    f"case json_array_length(parameters, '$.left_out') when 0 then 'all links' "
    f"when 1 then replace(trim({LEFT_OUT}, '[]\"'), '_', ' ') else 'all of these left out' end",
    "(json_array_length(parameters, '$.left_out') = 0)",
)
BOTS, BOTS_VERDICTS = sensitivity(
    "bot_sensitivity",
    "'bots ' || replace(bots, '_', ' ')",
    "(bots = 'left_out')",
    "with_bots > 0",
)
BY_LABELS = f"""
select
    repository, result_of, label_rule, n_performance, n_other, effect as estimate,
    effect_low as low, effect_high as high, p_value as p
from analysis.label_sensitivity as tests
where dataset = 'live' and {OF_TESTS.format("label_sensitivity")}
qualify
    effect is not null
    and not bool_or(is_too_few and label_rule = 'study') over (partition by repository, result_of)
order by
    repository = 'pooled', repository, result_of, list_position({list(LABELS)}, label_rule)
"""
BY_LABELS_VERDICTS = f"""
select repository, printf(
    '%s: %s by the study''s labels; %s without weak ones, %s by strong ones alone, %s with '
    || 'more words',
    replace(result_of, '_', ' '),
    any_value(result) filter (where label_rule = 'study'),
    any_value(result) filter (where label_rule = 'without_weak'),
    any_value(result) filter (where label_rule = 'strong_alone'),
    any_value(result) filter (where label_rule = 'widened')
)
from analysis.label_sensitivity as tests
where
    dataset = 'live' and result_of in ('share', 'opened', 'fix_time_days', 'fix_size')
    and {OF_TESTS.format("label_sensitivity")}
group by repository, result_of
having not bool_or(is_too_few) filter (where label_rule = 'study')
order by
    repository = 'pooled', repository,
    list_position(['share', 'opened', 'fix_time_days', 'fix_size'], result_of)
"""


def effects(rows: pl.DataFrame, color: str = "") -> list[Spec]:
    """A panel a repository: Cliff's delta of each metric, with its interval where there is one."""
    drawn = rows.with_columns(what=pl.col("metric").replace(METRICS))
    if color:
        drawn = drawn.with_columns(color=pl.col(color))
    if "low" not in drawn.columns:
        drawn = drawn.with_columns(low=pl.col("estimate"), high=pl.col("estimate"))
    groups = drawn.drop_nulls("estimate").group_by("repository", maintain_order=True)
    return [estimates(str(name), part, DELTA, nothing=0) for (name,), part in groups]


def _by_links(rows: pl.DataFrame) -> list[Spec]:
    """A panel for each repository and metric: there are many ways to leave links out."""
    drawn = rows.with_columns(what="variant", low="estimate", high="estimate")
    return [
        estimates(f"{repository}, {METRICS[str(metric)]}", part, DELTA, nothing=0)
        for (repository, metric), part in drawn.group_by(
            "repository", "metric", maintain_order=True
        )
    ]


def _by_labels(rows: pl.DataFrame) -> list[Spec]:
    names = {"study": "the study's", "without_weak": "without weak ones"}
    names |= {"strong_alone": "strong ones alone", "widened": "with more words"}
    drawn = rows.with_columns(pl.col("label_rule").replace(names), metric="result_of")
    return effects(drawn.filter(pl.col("metric").is_in(list(METRICS))), "label_rule")


def curves(rows: pl.DataFrame) -> list[Spec]:
    """Panels of each repository: the share of reports that ended so by a time, with its interval.

    Of an event with too few for a curve of either kind there is none.
    """
    kind = (
        pl.when("is_performance").then(pl.lit("performance bugs")).otherwise(pl.lit("other bugs"))
    )
    drawn = rows.with_columns(color=kind)
    return [
        _curve(f"{name}: {title}", part, title)
        for name in drawn["repository"].unique(maintain_order=True)
        for event, title in EVENTS.items()
        if not (part := drawn.filter(repository=name, event=event)).is_empty()
    ]


def _curve(title: str, rows: pl.DataFrame, ended: str) -> Spec:
    measure = f"{ended}, percent"
    x: Spec = {"field": "days", "type": "quantitative", "title": "days after the report"}
    y: Spec = {"type": "quantitative", "title": measure}
    color = colored(list(KINDS), KINDS)
    tooltip = [
        {"field": "days", "type": "quantitative"},
        {"field": "color", "type": "nominal", "title": "of"},
        *({"field": name, "type": "quantitative", "format": ".1f"} for name in ("percent", "low")),
        {"field": "high", "type": "quantitative", "format": ".1f"},
    ]
    band = {"type": "area", "opacity": 0.18, "interpolate": "step-after"}
    line = {"type": "line", "strokeWidth": 2, "interpolate": "step-after"}
    verdicts = "; ".join(
        f"{name} {part['percent'][-1]:.1f} percent after {part['days'][-1]:,} days"
        for (name,), part in rows.group_by("color", maintain_order=True)
    )
    return {
        "title": escape_text(title),
        "description": f"Share {ended} up to each day: {verdicts}",
        "data": {"values": values(rows.select("days", "percent", "low", "high", "color"))},
        "width": 380,
        "height": 180,
        "layer": [
            {
                "mark": band,
                "encoding": {
                    "x": x,
                    "y": y | {"field": "low"},
                    "y2": {"field": "high"},
                    "color": color,
                },
            },
            {
                "mark": line,
                "encoding": {
                    "x": x,
                    "y": y | {"field": "percent"},
                    "color": color,
                    "tooltip": tooltip,
                },
            },
        ],
    }


FIGURES = {
    "analysis.group_comparisons": distributions.FIGURE,
    "analysis.effect_sizes": Figure(
        "How large the differences are, with their intervals", COMPARED, EFFECTS, effects
    ),
    "analysis.fix_incidence": Figure(
        "How soon bugs are fixed, when closing without a fix competes",
        WITHIN,
        FIXED,
        curves,
        CURVES,
    ),
    "analysis.fix_curves": Figure(
        "How soon bugs are fixed: the curves", YEARS, FIXED, curves, CURVES
    ),
    "analysis.lifetime_comparisons": Figure(
        "How long bugs lived before they were reported", LIVES, LIVED
    ),
    "analysis.label_sensitivity": Figure(
        "Do the results hold by other labels?", BY_LABELS, BY_LABELS_VERDICTS, _by_labels
    ),
    "analysis.link_sensitivity": Figure(
        "Do the results hold without doubtful links?",
        LINKS,
        LINKS_VERDICTS,
        _by_links,
    ),
    "analysis.bot_sensitivity": Figure(
        "Do the results hold when bots are counted?",
        BOTS,
        BOTS_VERDICTS,
        lambda rows: effects(rows, "variant"),
    ),
}
