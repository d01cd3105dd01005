-- All that says in which area of the code a mined bug report is: its labels, the files that its counted
-- fix changes, and the stack traces of its text. Tests and documentation follow what they are about:
-- they count only where a fix changes nothing else.

with

bug_reports as (
    select * from staging.bug_reports where dataset = 'live'
),

commits as (
    select * from intermediate.counted_fixes where dataset = 'live'
),

read as (
    select
        repository,
        number,
        area,
        area_source,
        evidence,
        area_rule
    from labels.area_evidence
),

changed as (
    select
        repository,
        commits.number,
        files.path,
        max(files.area) as area,
        max(files.area_rule) as area_rule,
        bool_and(files.is_test_or_documentation) as is_aside
    from commits
    inner join links.fix_areas as files using (repository, sha)
    group by repository, commits.number, files.path
),

fixes as (
    select
        repository,
        number,
        area,
        'fix' as area_source,
        path as evidence,
        area_rule,
        is_aside,
        bool_and(is_aside) over (partition by repository, number) as is_all_aside
    from changed
),

sources as (
    select * from read
    union all
    select
        repository,
        number,
        area,
        area_source,
        evidence,
        area_rule
    from fixes
    where not is_aside or is_all_aside
),

evidence as (
    select
        bug_reports.dataset,
        repository,
        number,
        sources.area,
        sources.area_source,
        sources.evidence,
        sources.area_rule
    from bug_reports
    inner join sources using (repository, number)
)

select * from evidence
