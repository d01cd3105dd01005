"""The figure of alerts: the months around each change, its two levels, and the issues behind it."""

import polars as pl

from perf_assets.core.statistics.minimum_events import COMPARISON, CURVE
from perf_assets.reports.figures.drawing import COOL, WARM, Spec
from perf_assets.reports.figures.figure import Figure, wilson_limits
from perf_assets.reports.figures.panels import series

MOST_OF_A_REPOSITORY = 6
"""Alerts of a repository that are shown, the newest first; perf-assets alerts lists all."""

MONTHS_AROUND = 36
"""Months shown before the change."""

COLORS = {"by month": COOL, "level": WARM}
BACKLOG = "backlog_growth"
MEASURES = {
    "opened_share": "performance bugs among new reports, percent",
    BACKLOG: "open performance bugs",
    "hours_to_first_comment": "hours to the first comment, median",
    "fix_time_days": "days until fixed, median",
}

SHOWN = f"""
from marts.alerts
where state in ('new', 'known')
qualify row_number() over (
    partition by repository order by month desc, alert_id
) <= {MOST_OF_A_REPOSITORY}"""
ROWS = f"""
with shown as ({SHOWN.strip()})

select
    alert_id, repository, coalesce(area, 'all') as area, series, month, level_before, level_after,
    months_before, months_after, n_before, n_after, p_value as p, state,
    array_to_string(also_changed, '; ') as also_changed
from shown
order by month desc, repository, alert_id
"""
VERDICTS = f"""
with shown as ({SHOWN.strip()})

select repository, printf(
    '%s%s%s; state: %s', result,
    case when len(also_changed) > 0 then '; also: ' || array_to_string(also_changed, '; ')
    else '' end,
    case when len(issues) > 0 then printf(
        '; behind it: %s%s',
        array_to_string(list_transform(issues, lambda number: '#' || number), ' '),
        case when performance_bugs > len(issues)
        then printf(' and %d more', performance_bugs - len(issues)) else '' end
    ) else '' end,
    state
)
from shown
order by month desc, repository, alert_id
"""
# By the month in which a report was opened, or fixed; of fewer no median or share is drawn.
DRAWN = f"""
with shown as ({SHOWN.strip()}),

counted as (
    select
        repository, month, opened_performance as k, opened_total as n, open_performance,
        opened_total >= {CURVE} as is_enough
    from marts.trend_monthly
    where dataset = 'live' and is_complete
),

times as (
    select
        repository, month, 'hours_to_first_comment' as series, count(*) as n,
        median(least(coalesce(hours_to_first_comment, 720), 720)) as value
    from marts.bug_metrics
    where dataset = 'live' and is_performance
    group by all
    union all
    select
        repository, strftime(closed_at at time zone 'UTC', '%Y-%m'), 'fix_time_days', count(*),
        median(fix_time_days)
    from marts.bug_metrics
    where dataset = 'live' and is_performance and is_fixed
    group by all
),

by_month as (
    select
        repository, month, 'opened_share' as series, 100.0 * k / n as value,
        k || ' of ' || n as counts, {wilson_limits("k", "n")}
    from counted
    where is_enough
    union all by name
    select repository, month, '{BACKLOG}' as series, open_performance as value from counted
    union all by name
    select repository, month, series, value, n || ' reports' as counts
    from times
    where n >= {COMPARISON}
),

levels as (
    select alert_id, unnest(
        generate_series(
            strptime(first_month, '%Y-%m'), strptime(last_month, '%Y-%m'), interval 1 month
        )
    ) as first_day
    from shown
    where series <> '{BACKLOG}'
),

points as (
    select
        alert_id, by_month.month, 'by month' as color, by_month.value, counts, low, high
    from shown
    inner join by_month using (repository, series)
    where
        area is null and by_month.month <= last_month
        and by_month.month >= strftime(
            strptime(shown.month, '%Y-%m') - interval {MONTHS_AROUND} month, '%Y-%m'
        )
    union all by name
    select
        alert_id, strftime(first_day, '%Y-%m') as month, 'level' as color,
        case when strftime(first_day, '%Y-%m') < shown.month then level_before else level_after end
        * case when series = 'opened_share' then 100 else 1 end as value,
        case
            when strftime(first_day, '%Y-%m') < shown.month
            then months_before || ' months, ' || n_before || ' reports'
            else months_after || ' months, ' || n_after || ' reports'
        end as counts
    from shown
    inner join levels using (alert_id)
    where strftime(first_day, '%Y-%m') >= strftime(
        strptime(shown.month, '%Y-%m') - interval {MONTHS_AROUND} month, '%Y-%m'
    )
)

select
    alert_id, repository, area, series, shown.month as changed, points.month, color, value, counts,
    low, high
from points
inner join shown using (alert_id)
order by changed desc, repository, alert_id, points.month, color
"""


def _panels(rows: pl.DataFrame) -> list[Spec]:
    return [_panel(own) for _, own in rows.group_by("alert_id", maintain_order=True)]


def _panel(rows: pl.DataFrame) -> Spec:
    first = rows.row(0, named=True)
    where = " ".join(filter(None, (first["repository"], first["area"])))
    drawn = rows.select("month", "color", "value", "counts", "low", "high")
    if not drawn["low"].count():
        drawn = drawn.drop("low", "high")
    colors = {name: COLORS[name] for name in COLORS if name in set(drawn["color"])}
    return series(f"{where}: {first['changed']}", drawn, MEASURES[first["series"]], colors)


FIGURES = {"marts.alerts": Figure("What changed, and from when on", ROWS, VERDICTS, _panels, DRAWN)}
