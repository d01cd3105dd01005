-- Question: how fast are bug reports answered and closed, quarter by quarter?
-- How to read: by the quarter of the opening. Medians are over those that were answered by a
-- person, or closed, by now; the newest quarters look faster than they are, as who still waits is not
-- among them.
-- Group: people
-- Words: answer, comment, triage

select
    repository,
    year(opened_at at time zone 'UTC') || '-Q' || quarter(opened_at at time zone 'UTC') as quarter,
    case when is_performance then 'performance' else 'other' end as kind,
    count(*) as bug_reports,
    round(median(hours_to_first_comment), 1) as median_hours_to_first_comment,
    round(median((epoch(closed_at) - epoch(opened_at)) / 86400), 1) as median_days_to_close,
    round(100 * count(closed_at) / count(*), 1) as closed_percentage
from marts.bug_metrics
where dataset = 'live'
group by repository, quarter, kind
order by repository, quarter, kind;
