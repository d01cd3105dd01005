"""Steps of the paper over one's own data: the funnel of bug reports, and its test of the trend."""

import polars as pl

from perf_assets.base.sanitize import escape_text
from perf_assets.core.statistics.minimum_events import CURVE
from perf_assets.reports.figures.drawing import OTHER, WARM, Spec
from perf_assets.reports.figures.figure import P_TEXT, Figure, wilson_limits
from perf_assets.reports.figures.panels import WIDTH, colored, values

STEPS = ("issues", "bug reports", "closed bug reports", "fixed bug reports")
"""What is counted at each step (Makkouk et al., section III)."""

PARTS = {"performance bugs": WARM, "all others": OTHER}

# A published data set has bug reports alone: its funnel begins with these.
FUNNEL = f"""
with bugs as (
    select * from marts.dataset_breakdown where dataset = 'live'
),

steps as (
    select repository, 'bug reports' as step, is_performance, open + closed as bugs from bugs
    union all
    select repository, 'closed bug reports', is_performance, closed from bugs
    union all
    select repository, 'fixed bug reports', is_performance, fixed from bugs
),

counts as (
    select
        repository, step, sum(bugs) as n, sum(bugs) filter (where is_performance) as performance
    from steps
    group by repository, step
    union all
    select repository, 'issues', count(*), count(*) filter (where is_performance)
    from staging.issues
    where dataset = 'live' and dataset <> 'replication'
    group by repository
),

placed as (
    from counts
    union all
    select 'pooled', step, sum(n), sum(performance)
    from counts
    group by step
    having count(distinct repository) > 1
)

select
    repository, step, cast(n as bigint) as n, cast(performance as bigint) as performance_bugs,
    100.0 * performance / enough as percent, {wilson_limits("performance", "enough")}
from (select *, case when n >= {CURVE} then n end as enough from placed)
order by repository = 'pooled', repository, list_position({list(STEPS)}, step)
"""
FUNNEL_VERDICTS = f"""
select repository, string_agg(
    printf(
        '%d %s (%s)', n, step,
        case
            when percent is null then printf('%d performance bugs', performance_bugs)
            else printf(
                '%d performance bugs, %.1f %% [%.1f, %.1f]', performance_bugs, percent, low, high
            )
        end
    ),
    '; ' order by list_position({list(STEPS)}, step)
)
from ({FUNNEL.strip()})
group by repository
order by repository = 'pooled', repository
"""
# The share gained, from the first month of the series with any such report to the last.
GAINED = f"""
with counts as (
    select repository, month, 'open' as series, open_performance as k, open_total as n
    from marts.trend_monthly
    where dataset = 'live' and is_complete
    union all
    select repository, month, 'fixed', fixed_performance, fixed_total
    from marts.trend_monthly
    where dataset = 'live' and is_complete
),

shares as (
    select *, 100.0 * k / n as percent, {wilson_limits("k", "n")}
    from counts
    where n > 0
),

ends as (
    select
        repository, series, arg_min(shares, month) as first, arg_max(shares, month) as last
    from shares
    group by repository, series
    having count(*) > 1
)

select
    repository, series, first.month as first_month,
    first.k || ' of ' || first.n as first_counts, first.percent as first_percent,
    first.low as first_low, first.high as first_high,
    last.month as last_month, last.k || ' of ' || last.n as last_counts,
    last.percent as last_percent, last.low as last_low, last.high as last_high,
    case when least(first.n, last.n) >= {CURVE} then last.percent - first.percent end
        as points_gained,
    tests.n_pairs, tests.n_positive as rising_pairs, tests.p_value as p,
    100 * tests.false_alarm_share as false_alarms_percent, tests.is_too_few, tests.result
from ends
inner join analysis.trend_tests as tests using (repository, series)
where tests.dataset = 'live' and tests.method = 'cox_stuart'
order by repository, series desc
"""
GAINED_VERDICTS = f"""
select repository, printf(
    'share of performance bugs among %s: %s in %s, %s in %s%s; %s',
    case series when 'open' then 'open bug reports' else 'fixed bugs' end,
    case
        when points_gained is null then first_counts
        else printf('%.2f %% [%.1f, %.1f] (%s)', first_percent, first_low, first_high, first_counts)
    end,
    first_month,
    case
        when points_gained is null then last_counts
        else printf('%.2f %% [%.1f, %.1f] (%s)', last_percent, last_low, last_high, last_counts)
    end,
    last_month,
    case
        when points_gained is null then ' (too few for a share)'
        else printf(', %+.2f points', points_gained)
    end,
    case
        when is_too_few then result
        else printf(
            'Cox-Stuart, one-sided: %d of %d pairs of months rise, %s%s', rising_pairs, n_pairs,
            {P_TEXT.format("p")},
            coalesce(printf(
                '; with permuted labels, which have no trend, it finds a rise in %.1f %% of cases',
                false_alarms_percent
            ), '')
        )
    end
)
from ({GAINED.strip()})
order by repository, series desc
"""


def funnel(rows: pl.DataFrame) -> list[Spec]:
    """A panel a repository: a bar a step, of which performance bugs are the dark part."""
    return [
        _bars(str(name), part) for (name,), part in rows.group_by("repository", maintain_order=True)
    ]


def _bars(repository: str, rows: pl.DataFrame) -> Spec:
    performance, others = PARTS
    long = pl.concat(
        rows.select("step", bugs=bugs, color=pl.lit(name), order=pl.lit(order))
        for order, (name, bugs) in enumerate(
            {
                performance: pl.col("performance_bugs"),
                others: pl.col("n") - pl.col("performance_bugs"),
            }.items()
        )
    )
    step: Spec = {
        "field": "step",
        "type": "nominal",
        "sort": list(STEPS),
        "title": None,
        "axis": {"domain": False, "ticks": False},
    }
    labels = rows.select(
        "step", "n", text=pl.format("{} of {}", pl.col("performance_bugs"), pl.col("n"))
    )
    counts = "; ".join(
        f"{name} {n:,}, of which {k:,} performance bugs"
        for name, n, k in rows.select("step", "n", "performance_bugs").rows()
    )
    return {
        "title": escape_text(repository),
        "description": escape_text(counts),
        "data": {"values": values(long)},
        "width": WIDTH - 60,
        "height": 30 * rows.height,
        "layer": [
            {
                "mark": {"type": "bar", "height": 18},
                "encoding": {
                    "y": step,
                    "x": {
                        "aggregate": "sum",
                        "field": "bugs",
                        "type": "quantitative",
                        "title": "reports",
                    },
                    "color": colored(list(PARTS), PARTS),
                    "order": {"field": "order"},
                    "tooltip": [{"field": name} for name in ("step", "color", "bugs")],
                },
            },
            {
                "data": {"values": values(labels)},
                "mark": {"type": "text", "align": "left", "dx": 4, "fontSize": 11},
                "encoding": {
                    "y": step,
                    "x": {"field": "n", "type": "quantitative"},
                    "text": {"field": "text"},
                },
            },
        ],
    }


FIGURES = {
    "marts.dataset_breakdown": Figure(
        "From issues to bug reports, and to fixed ones", FUNNEL, FUNNEL_VERDICTS, funnel
    ),
}
GAINED_FIGURE = Figure(
    "The share from the first month to the last, and the paper's test", GAINED, GAINED_VERDICTS
)
