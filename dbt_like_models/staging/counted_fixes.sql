-- The commits that count as fixes of each bug report, each commit once however many approaches
-- found it, with its own size. Of a merged pull request these are the commits it brought, without
-- merges, which would show the same lines again.

with

published as (
    select * from replication.fix_commits
),

bug_reports as (
    select * from staging.bug_reports where dataset = 'live'
),

links as (
    select
        repository,
        number,
        sha,
        list(approach order by approach) as approaches
    from links.fix_links
    where is_counted and not is_repeated
    group by repository, number, sha
),

commits as (
    select * from raw.commits
),

live as (
    select
        bug_reports.dataset,
        bug_reports.repository,
        bug_reports.number,
        commits.sha,
        commits.committed_at,
        commits.additions,
        commits.deletions,
        commits.additions + commits.deletions as size,
        links.approaches
    from bug_reports
    inner join links
        on bug_reports.repository = links.repository
        and bug_reports.number = links.number
    inner join commits
        on links.repository = commits.repository
        and links.sha = commits.sha
),

replication as (
    select
        'replication' as dataset,
        repository,
        number,
        sha,
        min(committed_at) as committed_at,
        max(additions) as additions,
        max(deletions) as deletions,
        max(additions) + max(deletions) as size,
        list(distinct approach order by approach) as approaches
    from published
    group by repository, number, sha
)

select * from live
union all
select * from replication
