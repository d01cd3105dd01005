-- Question: how much performance work is done beside the performance bugs that are reported?
-- How to read: one line a year, and the areas beside the whole repository (area all). A project whose
-- optimisations and fixes without a report are many does not wait for reports. work_percentage is the
-- share of all changes of the repository; a commit is one change, and so is a merged pull request.
-- Group: trend
-- Words: optimisation, work, commits, year

with

parameters as (
    select
        coalesce(getvariable('area'), 'all') as area, -- area of live marts.performance_work_monthly: of this area of the code, or all
        coalesce(getvariable('repository'), '%') as repository -- repositories of meta.repositories: of this repository (% stands for any text)
)

select
    repository,
    area,
    left(month, 4) as year,
    sum(reports) as reports,
    sum(fixes_with_report) as fixes_with_report,
    sum(fixes_without_report) as fixes_without_report,
    sum(optimisations) as optimisations,
    sum(guards) as guards,
    sum(all_changes) as all_changes,
    round(100 * sum(performance_changes) / nullif(sum(all_changes), 0), 1) as work_percentage
from marts.performance_work_monthly
where
    is_complete
    and area = (select parameters.area from parameters)
    and repository like (select parameters.repository from parameters)
group by repository, area, year
order by repository, area, year;
