select
    repository, min(month) as first, max(month) as last, count(*) as months,
    count(*) filter (where audit = 'passed') as passed,
    count(*) filter (where audit <> 'passed') as refused,
    arg_max(month, month) filter (where audit <> 'passed') as newest_refused
from (
    select
        repository, month,
        case
            when not bool_or(status = 'failed') then 'passed'
            when bool_and(is_stored) then 'refused, older rows kept'
            else 'refused, nothing stored'
        end as audit,
        string_agg("table", ', ' order by "table") filter (where status = 'failed')
            as refused_tables
    from meta.partition_loads
    group by repository, month
)
group by repository
order by refused desc, repository
