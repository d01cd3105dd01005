-- Until when each repository is active, and whether it is at rest or archived: what the report begins
-- with, as intermediate.activity decides it.

with

activity as (
    select * from intermediate.activity
)

select
    dataset,
    repository,
    last_month,
    last_active_month,
    is_at_rest,
    last_series_month,
    archived_month
from activity
