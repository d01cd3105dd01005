-- All performance bugs, the most commented first.
select
    issues.repository, issues.number, issues.title, issues.html_url, metrics.comments,
    left(issues.month, 7) as month, metrics.state, metrics.is_fixed
from marts.bug_metrics as metrics
inner join staging.bug_reports as issues using (dataset, repository, number)
where metrics.dataset = 'live' and metrics.is_performance
order by metrics.repository, metrics.comments desc, metrics.number
