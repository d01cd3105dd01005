select
    repository,
    case when is_performance then 'performance bugs' else 'other bugs' end as kind,
    outcome,
    cast(sum(bug_reports) as bigint) as bug_reports,
    cast(
        100 * sum(bug_reports)
        / sum(sum(bug_reports)) over (partition by repository, is_performance) as double
    ) as percent,
    cast(sum(rejected_reports) as bigint) as rejected_reports
from marts.outcomes_monthly
group by repository, is_performance, outcome
order by
    repository, is_performance desc,
    list_position(
        ['fixed', 'closed_without_fix', 'duplicate', 'not_planned', 'invalid', 'open'], outcome
    )
