-- Each issue with a fix that counts, bug report or not: from which month on, and what was published
-- of the whole fix. A mined fix counts from the first of its commits on, a published one from the
-- opening on, since the package does not tell when the authors found it.

with

commits as (
    select * from staging.linked_commits where dataset = 'live' and is_counted
),

published as (
    select * from replication.fixes
),

live as (
    select
        dataset,
        repository,
        number,
        strftime(min(committed_at) at time zone 'UTC', '%Y-%m') as fix_month,
        cast(null as bigint) as published_commits,
        cast(null as bigint) as published_size
    from commits
    group by dataset, repository, number
),

replication as (
    select
        'replication' as dataset,
        repository,
        number,
        '0000-00' as fix_month,
        commits as published_commits,
        changes as published_size
    from published
)

select * from live
union all
select * from replication
