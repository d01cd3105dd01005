-- The commits that count as fixes of each bug report, each commit once however many approaches
-- found it, with its own size. Of a merged pull request these are the commits it brought, without
-- merges, which would show the same lines again.

with

bug_reports as (
    select * from staging.bug_reports
),

commits as (
    select * from staging.linked_commits where is_counted and not is_repeated
),

fixes as (
    select
        dataset,
        repository,
        number,
        commits.sha,
        commits.committed_at,
        commits.additions,
        commits.deletions,
        commits.additions + commits.deletions as size,
        commits.approaches
    from commits
    semi join bug_reports using (dataset, repository, number)
)

select * from fixes
