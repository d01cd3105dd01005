-- Question: how long do reporters wait for the first word of somebody else, year by year?
-- How to read: median hours over the bug reports that got a comment by somebody else,
-- bots aside; answered is their share. The newest year looks faster than it is: who waits still has no first comment.
-- Group: people
-- Words: answer, response time

select
    repository,
    year(opened_at at time zone 'UTC') as opened_in,
    case when is_performance then 'performance' else 'other' end as kind,
    count(*) as bug_reports,
    round(100 * count(hours_to_first_comment) / count(*), 1) as answered_percentage,
    round(median(hours_to_first_comment), 1) as median_hours
from marts.bug_metrics
where dataset = 'live'
group by repository, opened_in, kind
order by repository, opened_in, kind;
