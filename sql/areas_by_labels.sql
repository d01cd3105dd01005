-- Question: in which areas of a project, by its labels, are performance bugs frequent?
-- How to read: one line a label, with the bug reports that carry it and how many of them are performance
-- bugs, beside the share over all. Labels that mark performance themselves are left out.
-- Group: areas
-- Words: component, module

with

parameters as (
    select
        coalesce(getvariable('least'), 1) as least -- count: labels with at least so many bug reports
),

bugs as (
    select
        repository,
        number,
        is_performance,
        unnest(labels) as label
    from staging.bug_reports
    where dataset = 'live'
),

overall as (
    select
        repository,
        100 * count(*) filter (where is_performance) / nullif(count(*), 0) as percentage
    from staging.bug_reports
    where dataset = 'live'
    group by repository
)

select
    repository,
    label,
    count(*) as bug_reports,
    count(*) filter (where bugs.is_performance) as performance_bugs,
    round(100 * performance_bugs / nullif(count(*), 0), 1) as performance_percentage,
    round(overall.percentage, 1) as percentage_over_all
from bugs
inner join overall using (repository)
left join labels.label_kinds as kinds using (repository, label)
where not coalesce(kinds.is_performance, false)
group by repository, label, overall.percentage
having count(*) >= (select parameters.least from parameters)
order by repository, performance_percentage desc, bug_reports desc, label;
