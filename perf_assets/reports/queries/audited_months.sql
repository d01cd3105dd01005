select
    repository, month,
    case
        when not bool_or(status = 'failed') then 'passed'
        when bool_and(is_stored) then 'refused, older rows kept'
        else 'refused, nothing stored'
    end as audit,
    string_agg("table", ', ' order by "table") filter (where status = 'failed') as refused_tables
from meta.partition_loads
group by repository, month
