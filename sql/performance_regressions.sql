-- Question: which performance bugs are reported as regressions, and in which version?
-- How to read: one line a performance bug that a label, its title or a keyword calls a regression,
-- newest first. stated_versions are the versions of the framework that the report states, milestone
-- the one that it is planned for. Releases are not stored, so neither says which release brought it.
-- Group: bug reports
-- Words: release, version, slowdown, milestone

with

parameters as (
    select
        coalesce(getvariable('rows'), 100) as rows -- count: how many bug reports
),

versions as (
    select
        repository,
        number,
        list(distinct environment_value order by environment_value) as stated_versions
    from marts.bug_environments
    where environment_aspect = 'framework_version'
    group by repository, number
),

bugs as (
    select
        *,
        case
            when array_to_string(labels, ' ') ilike '%regress%' then 'label'
            when title ilike '%regress%' then 'title'
            when array_to_string(matched_keywords, ' ') ilike '%regress%' then 'keyword'
        end as called_by
    from staging.bug_reports
    where dataset = 'live' and is_performance
)

select
    repository,
    number,
    bugs.title,
    bugs.state,
    cast(bugs.opened_at at time zone 'UTC' as date) as opened_on,
    bugs.called_by,
    versions.stated_versions,
    issues.milestone,
    bugs.html_url
from bugs
inner join raw.issues as issues using (repository, number)
left join versions using (repository, number)
where bugs.called_by is not null
order by bugs.opened_at desc, repository, number
limit (select parameters.rows from parameters);
