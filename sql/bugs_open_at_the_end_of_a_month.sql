-- Question: which bugs are behind open_performance of one month in marts.trend_monthly?
-- How to read: one line a performance bug that was open at the end of the month, with its
-- opening, or last reopening until then; by default of the newest month that had any.
-- Group: bug reports
-- Words: history, past, backlog

with

parameters as (
    select
        coalesce(getvariable('month'), '%') as month, -- month of live marts.trend_monthly: the month, as YYYY-MM
        coalesce(getvariable('repository'), '%') as repository -- repositories of meta.repositories: of this repository (% stands for any text)
),

picked as (
    select dataset, repository, month
    from marts.trend_monthly
    where
        dataset = 'live'
        and open_performance > 0
        and month like (select parameters.month from parameters)
        and repository like (select parameters.repository from parameters)
    order by month desc, repository
    limit 1
),

open_bugs as (
    select
        dataset,
        repository,
        history.number,
        picked.month as end_of_month
    from marts.issue_history as history
    inner join picked using (dataset, repository)
    where
        history.is_performance
        and history.state = 'open'
        and history.month <= picked.month
        and (history.until_month is null or history.until_month > picked.month)
),

reopenings as (
    select
        dataset,
        repository,
        number,
        max(changed_at) as reopened_at
    from staging.issue_events
    inner join open_bugs using (dataset, repository, number)
    where
        event = 'reopened'
        and strftime(changed_at at time zone 'UTC', '%Y-%m') <= open_bugs.end_of_month
    group by dataset, repository, number
)

select
    repository,
    open_bugs.end_of_month,
    number,
    issues.title,
    coalesce(reopenings.reopened_at, issues.opened_at) at time zone 'UTC' as open_since_utc,
    issues.html_url
from open_bugs
inner join staging.issues as issues using (dataset, repository, number)
left join reopenings using (dataset, repository, number)
order by open_since_utc, number;
