select repository, "table", sum(rows_set_aside)::bigint as rows
from meta.audit_results
where rows_set_aside > 0
group by repository, "table"
order by repository, "table"
