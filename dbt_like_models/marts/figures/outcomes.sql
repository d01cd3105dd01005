select
    repository,
    case when is_performance then 'performance bugs' else 'other bugs' end as kind,
    outcome,
    sum(bug_reports) as bug_reports,
    100.0 * sum(bug_reports) / sum(sum(bug_reports)) over (partition by repository, is_performance)
        as percent,
    sum(rejected) as rejected
from marts.outcomes_monthly
group by repository, is_performance, outcome
order by
    repository, is_performance desc,
    list_position(
        ['fixed', 'closed_without_fix', 'duplicate', 'not_planned', 'invalid', 'open'], outcome
    )
