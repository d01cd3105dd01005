-- Question: what happened in one month?
-- How to read: one line a repository, by default for the last complete month: bug reports opened, fixed
-- and still open at its end, performance bugs among them, and the same of the month before. alerts are
-- the changes of level that begin in it, anomalies the measures of data quality that are unusual in it.
-- missing_months counts months up to it whose issues or commits are not loaded: where there are any,
-- is_complete is false and the figures are too low. NULL: the series of the repository lacks the month.
-- Group: trend
-- Words: summary, report, newest, last, share, alert, gap

with

parameters as (
    select
        coalesce(getvariable('month'), (select max(month) from marts.trend_monthly where dataset = 'live' and is_complete)) as month, -- month of live staging.loaded_months: the month, as YYYY-MM
        coalesce(getvariable('repository'), '%') as repository -- repositories of meta.repositories: of this repository (% stands for any text)
),

series as (
    select
        *,
        lag(opened_total) over months as opened_total_before,
        lag(opened_performance) over months as opened_performance_before,
        lag(newly_fixed_performance) over months as newly_fixed_performance_before
    from marts.trend_monthly
    where dataset = 'live'
    window months as (partition by repository order by month)
),

raised as (
    select
        repository,
        month,
        list(result order by alert_id) as alerts
    from marts.alerts
    group by repository, month
),

unusual as (
    select
        repository,
        month,
        list(measure order by measure) as anomalies
    from marts.volume_anomalies
    where dataset = 'live' and is_anomaly
    group by repository, month
),

loaded as (
    select
        repository,
        count(*) as months
    from staging.loaded_months
    where
        dataset = 'live' and has_issues and has_commits
        and month <= (select parameters.month from parameters)
    group by repository
)

select
    repository,
    months.month,
    series.is_complete,
    series.opened_total,
    series.opened_performance,
    round(100 * series.opened_performance / nullif(series.opened_total, 0), 1)
        as opened_percentage,
    series.newly_fixed_total,
    series.newly_fixed_performance,
    series.open_total,
    series.open_performance,
    round(series.open_percentage, 1) as open_percentage,
    series.opened_total_before,
    series.opened_performance_before,
    series.newly_fixed_performance_before,
    coalesce(raised.alerts, []) as alerts,
    coalesce(unusual.anomalies, []) as anomalies,
    greatest(
        date_diff(
            'month',
            strptime(repositories.start_month, '%Y-%m'),
            strptime(months.month, '%Y-%m')
        ) + 1 - coalesce(loaded.months, 0),
        0
    ) as missing_months
from meta.repositories as repositories
cross join (select parameters.month from parameters) as months
left join series using (repository, month)
left join raised using (repository, month)
left join unusual using (repository, month)
left join loaded using (repository)
where repository like (select parameters.repository from parameters)
order by repository;
