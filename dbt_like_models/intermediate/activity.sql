-- Until when a repository is active: the last month in which an issue was opened or closed. One whose
-- newest loaded month is a year or more later is at rest: its series end with its activity, so that
-- empty months weigh in no test and no picture.

with

loads as (
    select * from staging.loaded_months
),

issues as (
    select * from staging.issues
),

archivals as (
    select * from meta.archivals
),

last_months as (
    select
        dataset,
        repository,
        max(month) as last_month
    from loads
    where has_issues
    group by dataset, repository
),

last_changes as (
    select
        dataset,
        repository,
        max(greatest(opened_at, coalesce(closed_at, opened_at))) as changed_at
    from issues
    where dataset = 'live'
    group by dataset, repository
),

active as (
    select
        dataset,
        repository,
        last_months.last_month,
        case
            when last_changes.changed_at is not null
                then least(
                    strftime(last_changes.changed_at at time zone 'UTC', '%Y-%m'),
                    last_months.last_month
                )
        end as last_active_month
    from last_months
    left join last_changes using (dataset, repository)
),

rested as (
    select
        dataset,
        repository,
        last_month,
        last_active_month,
        coalesce(
            last_active_month
            <= strftime(strptime(last_month, '%Y-%m') - interval 12 month, '%Y-%m'),
            false
        ) as is_at_rest
    from active
)

select
    dataset,
    repository,
    last_month,
    last_active_month,
    is_at_rest,
    case when is_at_rest then last_active_month else last_month end as last_series_month,
    strftime(archivals.archived_at at time zone 'UTC', '%Y-%m') as archived_month
from rested
left join archivals using (repository)
