-- Question: which performance bugs are still open, oldest first?
-- How to read: one line a bug. days_open counts from its opening to the latest load of the
-- database; matched says which labels and keywords make it a performance bug.
-- Group: bug reports
-- Words: backlog, stale, slow

with

latest as (
    select max(loaded_at) as loaded_at from meta.partition_loads
)

select
    repository,
    number,
    bugs.title,
    cast(floor((epoch(latest.loaded_at) - epoch(bugs.opened_at)) / 86400) as bigint) as days_open,
    metrics.comments,
    list_concat(bugs.matched_labels, bugs.matched_keywords) as matched,
    bugs.html_url
from staging.bug_reports as bugs
inner join marts.bug_metrics as metrics using (dataset, repository, number)
cross join latest
where dataset = 'live' and bugs.state = 'open' and bugs.is_performance
order by bugs.opened_at, repository, number;
