-- Question: which bugs are behind open_performance of one month in marts.trend_monthly?
-- How to read: one line a performance bug that was open at the end of the month, with the change
-- of state that left it open. To look at another month, write repository and month into the first
-- step; as it stands, the query takes the newest month that had any.

with

picked as (
    select dataset, repository, month
    from marts.trend_monthly
    where dataset = 'live' and open_performance > 0
    order by month desc, repository
    limit 1
),

last_changes as (
    select
        changes.dataset,
        changes.repository,
        changes.number,
        picked.month as end_of_month,
        max_by(changes.is_open, changes.change) as is_open,
        max_by(changes.changed_at, changes.change) as open_since
    from staging.state_changes as changes
    inner join picked
        on changes.dataset = picked.dataset
        and changes.repository = picked.repository
        and changes.month <= picked.month
    group by all
)

select
    bugs.repository,
    last_changes.end_of_month,
    bugs.number,
    bugs.title,
    last_changes.open_since at time zone 'UTC' as open_since_utc,
    bugs.html_url
from last_changes
inner join staging.bug_reports as bugs using (dataset, repository, number)
where last_changes.is_open and bugs.is_performance
order by open_since_utc, bugs.number;
