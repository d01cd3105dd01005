-- Question: which issues left their repository after they were stored, and do the numbers agree?
-- How to read: one line an issue that was deleted, transferred or made a discussion (or that came
-- while its month was being read), with where it is now, when a run noticed it, and how many issues
-- of its month GitHub counts and we hold today.
-- Group: data quality
-- Words: deleted, transferred, missing

with

loads as (
    select * from meta.partition_loads where "table" = 'raw.issues'
)

select
    repository,
    month,
    differences.number,
    differences.reason,
    differences.moved_to,
    differences.noticed_at at time zone 'UTC' as noticed_at_utc,
    loads.source_count as counted_by_github,
    loads.row_count as held
from meta.reconciliation_differences as differences
left join loads using (repository, month)
order by noticed_at_utc desc, repository, differences.number;
