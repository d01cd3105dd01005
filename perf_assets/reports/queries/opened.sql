with last_months as (
    select dataset, repository, last_series_month as month
    from marts.activity
    where dataset = 'live'
)

select
    issues.repository, issues.number, issues.title, issues.html_url, metrics.comments,
    list_concat(issues.matched_labels, issues.matched_keywords) as marked_by,
    issues.strength
from last_months
inner join marts.issue_history as history using (dataset, repository, month)
inner join staging.bug_reports as issues
    on issues.dataset = history.dataset and issues.repository = history.repository
    and issues.number = history.number
left join marts.bug_metrics as metrics
    on metrics.dataset = issues.dataset and metrics.repository = issues.repository
    and metrics.number = issues.number
where
    history.opened_month = history.month and history.is_bug_report and history.is_performance
order by issues.repository, issues.strength <> 'strong', metrics.comments desc, issues.number
