-- Question: how many performance bugs are there of each version and milestone?
-- How to read: one line a version of the framework that bug reports state, and one a milestone that
-- they are planned for, with the days of their first and last report. Releases and their dates are not
-- stored, and a version counts only the reports that state it. A report may state several.
-- Group: trend
-- Words: release, regression, tag

with

stated as (
    select
        repository,
        number,
        'stated version' as named_by,
        environment_value as version
    from marts.bug_environments
    where environment_aspect = 'framework_version'
),

planned as (
    select
        repository,
        number,
        'milestone' as named_by,
        milestone as version
    from raw.issues
    where milestone is not null
),

versions as (
    select * from stated
    union all
    select * from planned
)

select
    repository,
    versions.named_by,
    versions.version,
    count(*) as bug_reports,
    count(*) filter (where bugs.is_performance) as performance_bugs,
    round(100 * performance_bugs / count(*), 1) as performance_percentage,
    cast(min(bugs.opened_at) at time zone 'UTC' as date) as first_opened,
    cast(max(bugs.opened_at) at time zone 'UTC' as date) as last_opened
from versions
inner join marts.bug_metrics as bugs using (repository, number)
where bugs.dataset = 'live'
group by repository, versions.named_by, versions.version
order by repository, versions.named_by desc, first_opened, versions.version;
