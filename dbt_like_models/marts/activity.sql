-- The last month with activity of each repository, and whether it is at rest or archived, as
-- intermediate.activity decides. The report begins with it.

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
