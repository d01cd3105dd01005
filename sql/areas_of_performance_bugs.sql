-- Question: in which areas of the code are performance bugs, how many are open, and how long does it take there?
-- How to read: one line an area, with its bug reports and how many of them are performance bugs; of these
-- those that are open, and the middle hours until somebody else labelled and answered, the middle days to
-- the fix. A bug report in several areas counts in each. unknown are those of which nothing tells an area.
-- Group: areas
-- Words: component, module, directory, CODEOWNERS

with

parameters as (
    select
        coalesce(getvariable('least'), 1) as least, -- count: areas with at least so many performance bugs
        coalesce(getvariable('repository'), '%') as repository -- repositories of meta.repositories: of this repository (% stands for any text)
),

bugs as (
    select
        dataset,
        repository,
        number,
        areas.area,
        areas.is_performance,
        metrics.state,
        metrics.hours_to_first_comment,
        metrics.fix_time_days,
        metrics.hours_to_triage
    from marts.bug_areas as areas
    inner join marts.bug_metrics as metrics using (dataset, repository, number)
    where repository like (select parameters.repository from parameters)
)

select
    repository,
    area,
    count(*) as bug_reports,
    count(*) filter (where is_performance) as performance_bugs,
    round(100 * performance_bugs / nullif(count(*), 0), 1) as performance_percentage,
    count(*) filter (where is_performance and state = 'open') as open_performance_bugs,
    round(median(hours_to_triage) filter (where is_performance), 1) as hours_to_triage,
    round(median(hours_to_first_comment) filter (where is_performance), 1) as hours_to_first_comment,
    round(median(fix_time_days) filter (where is_performance), 1) as fix_time_days
from bugs
group by repository, area
having performance_bugs >= (select parameters.least from parameters)
order by repository, open_performance_bugs desc, performance_bugs desc, area;
