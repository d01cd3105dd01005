-- Question: how old are the open bug reports?
-- How to read: the bug reports that are open now, by their age at the latest load of the database. An
-- old backlog of performance bugs beside a young one of others: performance waits.
-- Group: bug reports
-- Words: stale, old, backlog

with

latest as (
    select max(loaded_at) as loaded_at from meta.partition_loads
),

open_bugs as (
    select
        repository,
        is_performance,
        (epoch(latest.loaded_at) - epoch(opened_at)) / 86400 as days_open
    from marts.bug_metrics
    cross join latest
    where dataset = 'live' and state = 'open'
)

select
    repository,
    case when is_performance then 'performance' else 'other' end as kind,
    count(*) as open_bugs,
    count(*) filter (where days_open < 30) as below_a_month,
    count(*) filter (where days_open >= 30 and days_open < 365) as below_a_year,
    count(*) filter (where days_open >= 365) as a_year_or_more,
    round(median(days_open), 0) as median_days,
    round(max(days_open), 0) as oldest_days
from open_bugs
group by repository, is_performance
order by repository, kind;
