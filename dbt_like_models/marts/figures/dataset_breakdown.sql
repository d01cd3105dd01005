-- A published data set has bug reports alone: its steps begin with these.
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
    100.0 * performance / enough as percent,
    wilson_low(performance, enough) as low, wilson_high(performance, enough) as high
from (select *, case when n >= 5 then n end as enough from placed)
order by
    repository = 'pooled', repository,
    list_position(
        ['issues', 'bug reports', 'closed bug reports', 'fixed bug reports'],
        step
    )
