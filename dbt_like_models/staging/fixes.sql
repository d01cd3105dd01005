-- The fix of each bug report as a whole: how many commits, and how large all of them together. Of
-- a published fix the published total counts, which need not be the sum of its commits.

with

commits as (
    select * from staging.counted_fixes
),

published as (
    select * from replication.fixes
),

counted as (
    select
        dataset,
        repository,
        number,
        count(sha) as fix_commits,
        cast(sum(size) as bigint) as fix_size
    from commits
    group by dataset, repository, number
),

live as (
    select * from counted where dataset = 'live'
),

replication as (
    select
        'replication' as dataset,
        published.repository,
        published.number,
        coalesce(counted.fix_commits, published.commits) as fix_commits,
        published.changes as fix_size
    from published
    left join counted
        on counted.dataset = 'replication'
        and published.repository = counted.repository
        and published.number = counted.number
)

select * from live
union all
select * from replication
