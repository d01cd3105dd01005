-- Question: what does this database hold, and how fresh is it?
-- How to read: one line a repository and table: the months loaded, their rows, and what GitHub was
-- asked for them. gaps counts months between first and last that are missing; the monthly series
-- is complete only up to the first gap in raw.issues or raw.commits.
-- Group: data quality
-- Words: gap, missing month, stale

select
    repository,
    "table",
    min(month) as first_month,
    max(month) as last_month,
    count(*) as months,
    date_diff('month', strptime(min(month), '%Y-%m'), strptime(max(month), '%Y-%m')) + 1 - count(*)
        as gaps,
    cast(sum(row_count) as bigint) as stored_rows,
    cast(sum(requests) as bigint) as requests,
    cast(sum(points) as bigint) as points,
    max(loaded_at) at time zone 'UTC' as last_loaded_utc
from meta.partition_loads
where is_stored
group by repository, "table"
order by repository, "table";
