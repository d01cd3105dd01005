-- Question: which performance bugs took longest to fix?
-- How to read: the 20 slowest, in days from opening to the latest close. Where reopenings is not 0
-- the time includes spells during which the bug counted as done.

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
order by metrics.fix_time_days desc, repository, number
limit 20;
