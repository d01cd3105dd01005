-- The months of each repository that are loaded: of a mined one those whose issues or commits are
-- stored, of a published one those of its series.

with

loads as (
    select * from meta.partition_loads where is_stored
),

published as (
    select * from replication.paper_series
),

live as (
    select
        'live' as dataset,
        repository,
        month,
        bool_or("table" = 'raw.issues') as has_issues,
        bool_or("table" = 'raw.commits') as has_commits
    from loads
    where "table" in ('raw.issues', 'raw.commits')
    group by repository, month
),

-- A published month is the state at its beginning, ours that at the end of the month before.
replication as (
    select distinct
        'replication' as dataset,
        repository,
        strftime(strptime(month, '%Y-%m') - interval 1 month, '%Y-%m') as month,
        true as has_issues,
        true as has_commits
    from published
)

select * from live
union all
select * from replication
