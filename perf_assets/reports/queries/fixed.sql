with last_months as (
    select dataset, repository, last_series_month as month
    from marts.activity
    where dataset = 'live'
)

select
    issues.repository, issues.number, issues.title, issues.html_url,
    round(metrics.fix_time_days, 1) as days, metrics.fix_size as changed_lines
from last_months
inner join marts.issue_history as history using (dataset, repository, month)
inner join staging.bug_reports as issues
    on issues.dataset = history.dataset and issues.repository = history.repository
    and issues.number = history.number
left join marts.bug_metrics as metrics
    on metrics.dataset = issues.dataset and metrics.repository = issues.repository
    and metrics.number = issues.number
where
    history.is_bug_report and history.is_performance and history.is_fixed
    and strftime(history.closed_at at time zone 'UTC', '%Y-%m') = history.month
order by issues.repository, metrics.fix_time_days desc nulls last, issues.number
