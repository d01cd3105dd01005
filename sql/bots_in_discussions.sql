-- Question: how much of what is said on bug reports do bots say, year by year, and does it matter?
-- How to read: bot_percentage is the share of bug reports with a bot among the commentators;
-- hours are medians to the first comment by another account, without bots and with them. Only bug
-- reports on which the types of all accounts are known; analysis.bot_sensitivity has the tests.
-- Group: people
-- Words: automation, comments

select
    repository,
    year(opened_at at time zone 'UTC') as opened_in,
    case when is_performance then 'performance' else 'other' end as kind,
    count(*) as bug_reports,
    round(100 * count(*) filter (where commentators_with_bots > commentators) / count(*), 1)
        as bot_percentage,
    round(
        100 * sum(comments_with_bots - comments) / nullif(sum(comments_with_bots), 0), 1
    ) as bot_comments_percentage,
    round(median(hours_to_first_comment), 1) as median_hours_without_bots,
    round(median(hours_to_first_comment_with_bots), 1) as median_hours_with_bots
from marts.bug_metrics
where dataset = 'live' and has_author_types
group by repository, opened_in, kind
order by repository, opened_in, kind;
