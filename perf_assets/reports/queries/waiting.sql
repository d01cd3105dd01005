with last_months as (
    select dataset, repository, last_series_month as month
    from marts.activity
    where dataset = 'live'
)

select
    issues.repository, issues.number, issues.title, issues.html_url,
    date_diff(
        'day', issues.opened_at at time zone 'UTC',
        (last_months.month || '-01')::timestamp + interval 1 month
    ) as days_open
from last_months
inner join marts.issue_history as history
    on history.dataset = last_months.dataset and history.repository = last_months.repository
    and history.month <= last_months.month
    and (history.until_month is null or history.until_month > last_months.month)
inner join staging.bug_reports as issues
    on issues.dataset = history.dataset and issues.repository = history.repository
    and issues.number = history.number
where history.is_bug_report and history.is_performance and history.state = 'open'
order by issues.repository, days_open desc, issues.number
