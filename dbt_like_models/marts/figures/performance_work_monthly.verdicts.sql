with newest as (
    select repository, max(month) as last
    from marts.performance_work_monthly
    where is_complete
    group by repository
),

year as (
    select
        repository, any_value(last) as last, sum(reports) as reports,
        sum(fixes_with_report) as fixes_with_report, sum(optimisations) as optimisations,
        sum(fixes_without_report) as fixes_without_report,
        sum(performance_changes) as performance_changes, sum(all_changes) as all_changes
    from marts.performance_work_monthly
    inner join newest using (repository)
    where
        area = 'all' and month <= last
        and month > strftime((last || '-01')::date - interval 12 month, '%Y-%m')
    group by repository
)

select repository, printf(
    'the 12 months to %s: %d performance bugs were reported, and %s', last, reports,
    case
        when performance_changes = 0 then 'no change was performance work'
        else printf(
            '%d of %d changes were performance work (%.1f %%): %d fixes with a report, '
            || '%d without, %d optimisations',
            performance_changes, all_changes, 100.0 * performance_changes / all_changes,
            fixes_with_report, fixes_without_report, optimisations
        )
    end
)
from year
order by repository
