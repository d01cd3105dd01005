-- Each commit that is linked to an issue, once for each of its issues, however many approaches
-- found it and whether or not they count. All published links count. A revert counts for no issue
-- that the commit is linked to which it takes back.

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

taken_back as (
    select
        repository,
        related_sha as sha,
        relations.sha as reverting_sha
    from links.commit_relations as relations
    where relations.relation = 'reverts'
),

takes_back as (
    select distinct
        repository,
        links.number,
        taken_back.reverting_sha as sha,
        taken_back.reverting_sha
    from links
    inner join taken_back using (repository, sha)
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
        number,
        sha,
        links.is_counted and takes_back.reverting_sha is null as is_counted,
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
    left join takes_back using (repository, number, sha)
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
