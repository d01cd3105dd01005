with counts as (
    select
        areas.repository, areas.area, count(*) as n,
        count(*) filter (where areas.is_performance) as k,
        count(*) filter (where areas.is_performance and bugs.state = 'open') as open_now
    from marts.bug_areas as areas
    inner join marts.bug_metrics as bugs using (dataset, repository, number)
    where dataset = 'live'
    group by areas.repository, areas.area
),

limits as (
    select *, wilson_low(k, n) as low, wilson_high(k, n) as high from counts
)

select
    repository, area, n as bug_reports, k as performance_bugs, open_now as open_performance_bugs,
    case when k >= 5 then 100.0 * k / n end as estimate,
    case when k >= 5 then low end as low,
    case when k >= 5 then high end as high
from limits
order by repository, performance_bugs desc, bug_reports desc, area
