-- The repositories of each dataset, and the months from which on they are studied.

with

live as (
    select
        'live' as dataset,
        repository,
        start_month,
        trend_start_month
    from meta.repositories
),

paper_series as (
    select
        repository,
        min(month) as first_month
    from replication.paper_series
    group by repository
),

bugs as (
    select
        repository,
        min(month) as first_month
    from replication.bugs
    group by repository
),

-- A published month is the state at its beginning, ours that at the end of the month before.
replication as (
    select
        'replication' as dataset,
        repository,
        bugs.first_month as start_month,
        greatest(
            bugs.first_month,
            strftime(strptime(paper_series.first_month, '%Y-%m') - interval 1 month, '%Y-%m')
        ) as trend_start_month
    from bugs
    inner join paper_series using (repository)
)

select * from live
union all
select * from replication
