"""Table II of the paper for one's own data: medians, tests, and the distributions behind them."""

from collections.abc import Mapping

import polars as pl

from perf_assets.core.statistics.minimum_events import COMPARISON
from perf_assets.reports.figures.drawing import KINDS, Spec
from perf_assets.reports.figures.figure import P_TEXT, Figure
from perf_assets.reports.figures.panels import WIDTH, colored, values
from perf_assets.reports.queries import OF_TESTS

METRIC_TITLES = {
    "fix_time_days": "fix time (days)",
    "fix_size": "fix size (lines)",
    "hours_to_first_comment": "time to first comment (hours)",
    "comments": "comments",
    "commentators": "commentators",
}
SIZES = ("fix_size", "comments", "commentators")
"""The metrics that are more or larger; the others are times, which are longer."""

TABLE_2 = f"""
select
    tests.repository, tests.metric, tests.n_performance, tests.n_other,
    tests.median_performance, tests.median_other, tests.percent_larger,
    tests.rank_sum_p_value as rank_sum_p, tests.rank_sum_cliffs_delta as rank_sum_delta,
    tests.p_value_clustered as p_within_repositories,
    tests.cliffs_delta as delta_within_repositories, tests.method, tests.too_few_reason
from analysis.group_comparisons as tests
where tests.dataset = 'live' and {OF_TESTS.format("group_comparisons")}
order by
    tests.repository = 'pooled', tests.repository,
    list_position({list(METRIC_TITLES)}, tests.metric)
"""
# Metrics that are too few for the same reason share a sentence.
VERDICTS = f"""
with results as (
    select
        repository, replace(metric, '_', ' ') as metric,
        list_position({list(METRIC_TITLES)}, metric) as place,
        too_few_reason is not null as is_too_few,
        coalesce(too_few_reason, printf(
            'median %s of %d performance bugs, %s of %d others%s; rank-sum test %s, '
            || 'delta = %.3f%s',
            printf('%.4g', median_performance), n_performance,
            printf('%.4g', median_other), n_other,
            coalesce(case when abs(percent_larger) >= 0.5 then printf(
                ' (%.0f %% %s)', abs(percent_larger),
                case
                    when metric in {SIZES} and percent_larger >= 0 then 'larger'
                    when metric in {SIZES} then 'smaller'
                    when percent_larger >= 0 then 'longer'
                    else 'shorter'
                end
            ) end, ''),
            {P_TEXT.format("rank_sum_p")}, rank_sum_delta,
            case when method = 'van_elteren' then printf(
                '; compared within repositories (van Elteren) %s, delta = %.3f',
                {P_TEXT.format("p_within_repositories")}, delta_within_repositories
            ) else '' end
        )) as result
    from ({TABLE_2.strip()})
)

select repository, string_agg(metric, ', ' order by place) || ': ' || result
from results
group by repository, result, is_too_few
order by repository = 'pooled', repository, is_too_few, min(place)
"""
# Of all repositories together, as the paper draws them. The last percent would stretch the axis.
DISTRIBUTIONS = f"""
with bugs as (
    select * from marts.bug_metrics where dataset = 'live'
),

measured as (
    select is_performance, unnest([
        {{'metric': 'fix_time_days', 'value': fix_time_days}},
        {{'metric': 'fix_size', 'value': case when is_fixed then cast(fix_size as double) end}},
        {{'metric': 'hours_to_first_comment', 'value': hours_to_first_comment}},
        {{'metric': 'comments', 'value': cast(comments as double)}},
        {{'metric': 'commentators', 'value': cast(commentators as double)}}
    ], recursive := true)
    from bugs
),

quantiles as (
    select
        case when (select count(distinct repository) from bugs) > 1 then 'pooled'
            else (select any_value(repository) from bugs) end as repository,
        metric, is_performance, count(value) as n, median(value) as median,
        quantile_cont(value, [i / 100.0 for i in range(100)]) as points
    from measured
    where value is not null and is_performance is not null
    group by metric, is_performance
    qualify min(n) over (partition by metric) >= {COMPARISON}
        and count(*) over (partition by metric) = 2
)

select
    repository, metric, is_performance, n, median,
    unnest([i / 100.0 for i in range(100)]) as share, unnest(points) as value
from quantiles
order by list_position({list(METRIC_TITLES)}, metric), not is_performance, share
"""


def distributions(rows: pl.DataFrame) -> list[Spec]:
    """A panel a metric, from the rows of :data:`DISTRIBUTIONS`."""
    performance, other = KINDS
    kind = pl.when("is_performance").then(pl.lit(performance)).otherwise(pl.lit(other))
    panels = []
    for (metric,), part in rows.with_columns(color=kind).group_by("metric", maintain_order=True):
        medians = dict(part.select("color", "median").unique(maintain_order=True).iter_rows())
        panels.append(distribution(str(metric), part, medians))
    return panels


def distribution(metric: str, points: pl.DataFrame, medians: Mapping[str, float]) -> Spec:
    """Share of bug reports up to each value, on a logarithmic scale, and medians as rules.

    ``points`` has color (the kind of bugs), share and value.
    """
    rules = [{"color": kind, "value": float(f"{value:.5g}")} for kind, value in medians.items()]
    x: Spec = {
        "field": "value",
        "type": "quantitative",
        "title": METRIC_TITLES[metric],
        "scale": {"type": "symlog", "constant": _constant(metric), "nice": False},
        "axis": {"values": _ticks(metric), "labelExpr": "datum.value", "labelOverlap": True},
    }
    color = colored(list(KINDS), KINDS)
    description = "; ".join(f"median of {kind} {value:.3g}" for kind, value in medians.items())
    return {
        "title": METRIC_TITLES[metric].partition(" (")[0],
        "description": f"Share of bug reports up to each value; {description}",
        "data": {"values": values(points.select("color", "share", "value"))},
        "width": WIDTH,
        "height": 190,
        "layer": [
            {
                "mark": {"type": "line", "strokeWidth": 2},
                "encoding": {
                    "x": x,
                    "y": {
                        "field": "share",
                        "type": "quantitative",
                        "title": "share up to here",
                        "axis": {"format": "%"},
                    },
                    "color": color,
                    "tooltip": [
                        {"field": "color", "type": "nominal", "title": "of"},
                        {"field": "value", "type": "quantitative", "format": ".3~r"},
                        {"field": "share", "type": "quantitative", "format": ".0%"},
                    ],
                },
            },
            {
                "data": {"values": rules},
                "mark": {"type": "rule", "strokeDash": [4, 3], "strokeWidth": 1.5},
                "encoding": {"x": x, "color": color},
            },
        ],
    }


def _constant(metric: str) -> float:
    return 0.1 if metric in ("fix_time_days", "hours_to_first_comment") else 1.0


def _ticks(metric: str) -> list[float]:
    if metric in ("comments", "commentators"):
        return [0, 1, 2, 5, 10, 20, 50]
    return [0, *([0.1] if _constant(metric) < 1 else []), 1, 10, 100, 1000, 10000]


FIGURE = Figure(
    "How performance bugs differ from others: Table II, and the distributions behind it",
    TABLE_2,
    VERDICTS,
    distributions,
    DISTRIBUTIONS,
)
