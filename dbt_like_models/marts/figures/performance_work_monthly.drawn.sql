-- By quarter, as single months of most projects have a handful.
with quarters as (
    select
        repository,
        strftime(date_trunc('quarter', (month || '-01')::date), '%Y-%m') as month,
        sum(reports) as reports, sum(fixes_with_report + fixes_without_report) as fixes,
        sum(optimisations) as optimisations
    from marts.performance_work_monthly
    where area = 'all' and is_complete
    group by all
),

drawn as (
    unpivot quarters on reports, fixes, optimisations into name color value value
)

select repository, month, color, value::double as value
from drawn
order by repository, month, color
