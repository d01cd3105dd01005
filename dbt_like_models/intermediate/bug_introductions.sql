-- SZZ for each bug report: the commits that last touched the lines which its fix takes away, and
-- whether they can have brought the bug. Who touched the lines after the report cannot, nor does a
-- merge bring anything of its own. Candidates only: a fix often touches more than the bug.

with

commits as (
    select * from intermediate.counted_fixes where dataset = 'live'
),

bug_reports as (
    select * from staging.bug_reports
),

origins as (
    select * from details.introducing_commits
),

introductions as (
    select
        dataset,
        repository,
        number,
        sha,
        origins.path,
        origins.introducing_sha,
        origins.introduced_at,
        origins.lines,
        origins.is_merge,
        origins.introduced_at > bug_reports.opened_at as is_after_report,
        not origins.is_merge and origins.introduced_at <= bug_reports.opened_at as is_candidate
    from commits
    inner join bug_reports using (dataset, repository, number)
    inner join origins using (repository, sha)
)

select * from introductions
