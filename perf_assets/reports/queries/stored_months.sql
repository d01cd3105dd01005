select
    repository, "table",
    count(*) filter (where is_stored) as months,
    min(month) filter (where is_stored) as first,
    max(month) filter (where is_stored) as last,
    cast(sum(row_count) as bigint) as rows,
    max(loaded_at) as last_refresh,
    count(*) filter (where status = 'failed') as failed_audits
from meta.partition_loads
group by repository, "table"
order by repository, "table"
