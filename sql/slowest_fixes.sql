-- Question: which performance bugs took longest to fix?
-- How to read: the slowest, in days from opening to the latest close. Where reopenings is not 0
-- the time includes spells during which the bug counted as done.
-- Group: fixes
-- Words: slow, longest, duration

with

parameters as (
    select
        coalesce(getvariable('rows'), 20) as rows, -- how many fixes
        coalesce(getvariable('repository'), '%') as repository -- of this repository (% stands for any text)
)

select
    repository,
    number,
    bugs.title,
    round(metrics.fix_time_days, 1) as fix_time_days,
    metrics.fix_commits,
    metrics.fix_size,
    metrics.reopenings,
    bugs.html_url
from marts.bug_metrics as metrics
inner join staging.bug_reports as bugs using (dataset, repository, number)
where dataset = 'live' and metrics.is_fixed and metrics.is_performance
    and repository like (select parameters.repository from parameters)
order by metrics.fix_time_days desc, repository, number
limit (select parameters.rows from parameters);
