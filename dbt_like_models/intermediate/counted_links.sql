-- The counted links between bug reports and commits with both ends: when the bug was reported and
-- closed, when the commit came and how large it is, and the reasons to doubt that it is the fix.

with

commits as (
    select * from intermediate.counted_fixes
),

bug_reports as (
    select * from staging.bug_reports
),

doubts as (
    select * from intermediate.link_warnings
),

links as (
    select
        dataset,
        repository,
        number,
        sha,
        bug_reports.is_performance,
        bug_reports.opened_at,
        bug_reports.closed_at,
        commits.committed_at,
        commits.additions,
        commits.deletions,
        doubts.doubts
    from commits
    inner join bug_reports using (dataset, repository, number)
    inner join doubts using (dataset, repository, number, sha)
)

select * from links
