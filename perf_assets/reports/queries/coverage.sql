select
    repository, "table", count(*) filter (where is_stored) as months,
    min(month) filter (where is_stored) as first_month,
    max(month) filter (where is_stored) as last_month,
    sum(row_count) filter (where is_stored) as "rows",
    count(*) filter (where status = 'failed') as refused
from meta.partition_loads
group by repository, "table"
order by repository, "table"
