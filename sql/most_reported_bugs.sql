-- Question: which performance bugs are reported most often?
-- How to read: one line for each group of reports that people marked as duplicates, the largest first. Its
-- age, people and versions are those of all its reports; first_number is the report that stands for them.
-- Group: bug reports
-- Words: duplicates, repeated, popular

with

parameters as (
    select
        coalesce(getvariable('rows'), 20) as rows -- count: how many groups
),

members as (
    select
        repository,
        number,
        groups.first_number,
        metrics.title,
        metrics.html_url,
        metrics.opened_at,
        metrics.state,
        metrics.author,
        metrics.is_performance,
        groups.is_first
    from marts.duplicate_groups as groups
    inner join marts.bug_metrics as metrics using (repository, number)
    where metrics.dataset = 'live'
),

people as (
    select
        repository,
        first_number,
        count(distinct person) as people
    from (
        select
            repository,
            first_number,
            author as person
        from members
        union all
        select
            repository,
            members.first_number,
            comments.author as person
        from members
        inner join raw.issue_comments as comments using (repository, number)
        where comments.author not like '%[bot]'
    )
    group by repository, first_number
),

versions as (
    select
        repository,
        members.first_number,
        string_agg(distinct environments.environment_value, ', ' order by environments.environment_value)
            as versions
    from members
    inner join marts.bug_environments as environments using (repository, number)
    where environments.environment_aspect = 'framework_version'
    group by repository, members.first_number
),

grouped as (
    select
        repository,
        first_number,
        count(*) as reports,
        min(opened_at) as first_opened_at,
        bool_or(state = 'open') as is_open,
        any_value(title order by not is_first, number) as title,
        any_value(html_url order by not is_first, number) as html_url
    from members
    group by repository, first_number
    having bool_or(is_performance)
)

select
    repository,
    first_number,
    title,
    reports,
    people,
    versions,
    first_opened_at,
    is_open,
    html_url
from grouped
left join people using (repository, first_number)
left join versions using (repository, first_number)
cross join parameters
qualify row_number() over (order by reports desc, repository, first_number) <= parameters.rows
order by reports desc, repository, first_number;
