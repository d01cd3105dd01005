-- By the month in which a report was opened, or fixed; of few reports no median is drawn.
with shown as (
    from marts.alerts
    where state in ('new', 'known')
    qualify row_number() over (partition by repository order by month desc, alert_id) <= 6
),

counted as (
    select
        repository, month, opened_performance as k, opened_total as n, open_performance,
        opened_total >= 5 as is_enough
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
        k || ' of ' || n as counts,
        wilson_low(k, n) as low, wilson_high(k, n) as high
    from counted
    where is_enough
    union all by name
    select repository, month, 'backlog_growth' as series, open_performance as value from counted
    union all by name
    select repository, month, series, value, n || ' reports' as counts
    from times
    where n >= 6
),

levels as (
    select alert_id, unnest(
        generate_series(
            strptime(first_month, '%Y-%m'), strptime(last_month, '%Y-%m'), interval 1 month
        )
    ) as first_day
    from shown
    where series <> 'backlog_growth'
),

points as (
    select
        alert_id, by_month.month, 'by month' as color, by_month.value, counts, low, high
    from shown
    inner join by_month using (repository, series)
    where
        area is null and by_month.month <= last_month
        and by_month.month >= strftime(
            strptime(shown.month, '%Y-%m') - interval 36 month, '%Y-%m'
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
        strptime(shown.month, '%Y-%m') - interval 36 month, '%Y-%m'
    )
)

select
    alert_id, repository, area, series, shown.month as changed, points.month, color, value, counts,
    low, high
from points
inner join shown using (alert_id)
order by changed desc, repository, alert_id, points.month, color
