select
    repository, month, reports, fixes_with_report, fixes_without_report, optimisations, guards,
    all_changes, work_percentage
from marts.performance_work_monthly
where area = 'all' and is_complete
order by repository, month desc
