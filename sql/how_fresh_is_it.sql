-- Question: how many days ago did a run look at each repository, and what is the newest it knows?
-- How to read: days since GitHub was asked last and since rows were stored last. A look that finds
-- nothing is not published, so the last one may be later than this says.
-- Group: data quality
-- Words: stale, updated, newest

with

parameters as (
    select
        coalesce(getvariable('today'), cast(current_date as varchar)) as today -- day: the day, as YYYY-MM-DD
),

looks as (
    select
        repository,
        max(started_at) as last_look_at
    from meta.source_requests
    group by repository
),

loads as (
    select
        repository,
        max(loaded_at) as last_load_at,
        max(updated_at) as newest_update_at,
        max(month) filter (where "table" = 'raw.issues') as last_issue_month,
        max(month) filter (where "table" = 'raw.commits') as last_commit_month
    from meta.partition_loads
    where is_stored
    group by repository
),

marks as (
    select
        repository,
        max(updated_at) as updated_at
    from meta.watermarks
    group by repository
)

select
    repository,
    date_diff(
        'day', cast(looks.last_look_at at time zone 'UTC' as date), cast(parameters.today as date)
    ) as days_since_look,
    date_diff(
        'day', cast(loads.last_load_at at time zone 'UTC' as date), cast(parameters.today as date)
    ) as days_since_load,
    greatest(loads.newest_update_at, marks.updated_at) at time zone 'UTC' as newest_update_utc,
    loads.last_issue_month,
    loads.last_commit_month
from meta.repositories
cross join parameters
left join looks using (repository)
left join loads using (repository)
left join marks using (repository)
order by repository;
