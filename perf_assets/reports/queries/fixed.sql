with last_months as (
    select dataset, repository, last_series_month as month
    from marts.activity
    where dataset = 'live'
)

select
    bugs.repository, bugs.number, bugs.title, bugs.html_url,
    round(bugs.fix_time_days, 1) as days, bugs.fix_size as changed_lines
from last_months
inner join marts.issue_history as history using (dataset, repository, month)
inner join marts.bug_metrics as bugs
    on bugs.dataset = history.dataset and bugs.repository = history.repository
    and bugs.number = history.number
where
    history.is_bug_report and history.is_performance and history.is_fixed
    and strftime(history.closed_at at time zone 'UTC', '%Y-%m') = history.month
order by bugs.repository, bugs.fix_time_days desc nulls last, bugs.number
