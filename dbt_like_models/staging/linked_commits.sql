-- Each commit that is linked to an issue, once for each of its issues, however many approaches
-- found it and whether or not they count. All published links count.

with

links as (
    select
        repository,
        number,
        sha,
        bool_or(is_counted) as is_counted,
        list_sort(list(approach) filter (where is_counted)) as approaches,
        bool_or(is_repeated) as is_repeated
    from links.fix_links
    group by repository, number, sha
),

commits as (
    select
        repository,
        sha,
        authored_at,
        committed_at,
        message,
        is_merge,
        additions,
        deletions
    from raw.commits
    union all
    select
        repository,
        sha,
        branch_commits.authored_at,
        branch_commits.committed_at,
        branch_commits.message,
        branch_commits.is_merge,
        branch_commits.additions,
        branch_commits.deletions
    from raw.branch_commits
    anti join raw.commits using (repository, sha)
),

published as (
    select * from replication.fix_commits
),

live as (
    select
        'live' as dataset,
        repository,
        links.number,
        sha,
        links.is_counted,
        links.is_repeated,
        coalesce(links.approaches, cast([] as varchar[])) as approaches,
        commits.authored_at,
        commits.committed_at,
        commits.message,
        commits.is_merge,
        commits.additions,
        commits.deletions
    from links
    inner join commits using (repository, sha)
),

replication as (
    select
        'replication' as dataset,
        repository,
        number,
        sha,
        true as is_counted,
        false as is_repeated,
        list_sort(list(distinct approach)) as approaches,
        cast(null as timestamp with time zone) as authored_at,
        min(committed_at) as committed_at,
        cast(null as varchar) as message,
        cast(null as boolean) as is_merge,
        max(additions) as additions,
        max(deletions) as deletions
    from published
    group by repository, number, sha
)

select * from live
union all
select * from replication
