-- Question: which partitions were refused, and why?
-- How to read: one line a partition whose latest load did not pass its audit or could not be
-- stored. rows_kept are those of its last good load, still in use: 0 where there never was one.
-- What was refused lies in the folder quarantine, with the report of the audit.
-- Group: data quality
-- Words: error, quarantine

select
    repository,
    month,
    "table",
    message,
    row_count as rows_kept,
    loaded_at at time zone 'UTC' as loaded_at_utc
from meta.partition_loads
where status = 'failed'
order by repository, month, "table";
