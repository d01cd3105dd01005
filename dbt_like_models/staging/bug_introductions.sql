-- SZZ for each bug report: the commits that last touched the lines which its fix takes away, and
-- whether they can have brought the bug. Who touched the lines after the report cannot, nor does a
-- merge bring anything of its own. Candidates only: a fix often touches more than the bug.

with

commits as (
    select * from staging.counted_fixes where dataset = 'live'
),

bug_reports as (
    select * from staging.bug_reports where dataset = 'live'
),

origins as (
    select * from details.introducing_commits
),

introductions as (
    select
        commits.dataset,
        commits.repository,
        commits.number,
        commits.sha,
        origins.path,
        origins.introducing_sha,
        origins.introduced_at,
        origins.lines,
        origins.is_merge,
        origins.introduced_at > bug_reports.opened_at as is_after_report,
        not origins.is_merge and origins.introduced_at <= bug_reports.opened_at as is_candidate
    from commits
    inner join bug_reports
        on commits.repository = bug_reports.repository
        and commits.number = bug_reports.number
    inner join origins
        on commits.repository = origins.repository
        and commits.sha = origins.sha
)

select * from introductions
