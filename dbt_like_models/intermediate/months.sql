-- The months of each repository's series: from the first month of the series to the last month
-- whose issues are loaded, or in which anything happened where the repository has been at rest since.
-- A published series brings its own months, all of them complete.

with

repositories as (
    select * from staging.repositories
),

loads as (
    select * from staging.loaded_months
),

activity as (
    select * from intermediate.activity
),

calendar as (
    select
        dataset,
        repository,
        repositories.trend_start_month,
        unnest(
            generate_series(
                strptime(repositories.start_month, '%Y-%m'),
                strptime(activity.last_series_month, '%Y-%m'),
                interval 1 month
            )
        ) as first_day
    from repositories
    inner join activity using (dataset, repository)
    where repositories.start_month <= activity.last_series_month
),

dated as (
    select
        dataset,
        repository,
        trend_start_month,
        strftime(first_day, '%Y-%m') as month
    from calendar
),

completeness as (
    select
        dataset,
        repository,
        month,
        dated.trend_start_month,
        bool_and(
            dataset = 'replication' or coalesce(loads.has_issues and loads.has_commits, false)
        ) over (
            partition by dataset, repository order by month
        ) as is_complete
    from dated
    left join loads using (dataset, repository, month)
)

select
    dataset,
    repository,
    month,
    is_complete
from completeness
where month >= trend_start_month
