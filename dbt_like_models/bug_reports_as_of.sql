-- The bug reports as they were at the end of a month, given as YYYY-MM: state, labels, what they made
-- of the issue, and whether it was fixed by then. Title and texts are those of today.
-- A month after the data gives their newest state.

select
    dataset,
    repository,
    number,
    issues.title,
    issues.html_url,
    issues.author,
    history.state,
    history.labels,
    issues.opened_at,
    history.closed_at,
    history.is_performance,
    history.is_fixed
from marts.issue_history as history
inner join staging.issues as issues using (dataset, repository, number)
where
    history.is_bug_report
    and history.month <= as_of_month
    and (history.until_month is null or history.until_month > as_of_month)
