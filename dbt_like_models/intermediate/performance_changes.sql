-- The changes that are performance work, each once: a commit, or a pull request with its commits. What
-- fixes a performance bug that somebody reported is a fix with a report, whatever the label of the
-- commit; without one it is what its label says.

with

changes as (
    select
        repository,
        sha,
        coalesce(labels.landed_by, sha) as change_sha,
        labels.landed_by,
        labels.pull_request,
        labels.work,
        labels.strength,
        labels.month
    from labels.performance_commits as labels
),

reports as (
    select
        repository,
        number
    from staging.bug_reports
    where dataset = 'live' and is_performance
),

fixing as (
    select distinct
        repository,
        fixes.sha
    from intermediate.counted_fixes as fixes
    semi join reports using (repository, number)
    where dataset = 'live'
),

reported as (
    select distinct
        repository,
        changes.change_sha as sha,
        changes.change_sha as reported_sha
    from changes
    inner join fixing using (repository, sha)
),

merges as (
    select
        repository,
        sha
    from raw.commits
    where is_merge
),

landings as (
    select distinct
        repository,
        changes.landed_by as sha
    from changes
    where changes.landed_by is not null
),

-- The merge of a branch shows the changes of its commits again.
branch_merges as (
    select * from merges
    anti join landings using (repository, sha)
),

work as (
    select
        repository,
        sha,
        changes.month,
        changes.pull_request,
        changes.strength,
        case
            when reported.reported_sha is not null then 'fix_with_report'
            when changes.work = 'fix' then 'fix_without_report'
            else changes.work
        end as work
    from changes
    left join reported using (repository, sha)
    anti join branch_merges using (repository, sha)
    where changes.landed_by is null
)

select * from work
