-- Question: which performance bugs took longest to fix?
-- How to read: the slowest, in days from opening to the latest close. Where reopenings is not 0
-- the time includes spells during which the bug counted as done.
-- Group: fixes
-- Words: slow, longest, duration

with

parameters as (
    select
        coalesce(getvariable('rows'), 20) as rows, -- count: how many fixes
        coalesce(getvariable('repository'), '%') as repository -- repositories of meta.repositories: of this repository (% stands for any text)
)

select
    repository,
    number,
    title,
    round(metrics.fix_time_days, 1) as fix_time_days,
    fix_commits,
    fix_size,
    reopenings,
    html_url
from marts.bug_metrics as metrics
where dataset = 'live' and is_fixed and is_performance
    and repository like (select parameters.repository from parameters)
order by metrics.fix_time_days desc, repository, number
limit (select parameters.rows from parameters);
