-- The months of each repository's series: from the first month of the series to the last month
-- whose issues are loaded, whether or not anything happened in them. A published series brings its
-- own months.

with

published as (
    select
        repository,
        min(month) as first_month,
        max(month) as last_month
    from replication.paper_series
    group by repository
),

repositories as (
    select * from staging.repositories where dataset = 'live'
),

loads as (
    select
        repository,
        month,
        bool_or("table" = 'raw.issues') as has_issues,
        bool_or("table" = 'raw.issues') and bool_or("table" = 'raw.commits') as is_loaded
    from meta.partition_loads
    where is_stored and "table" in ('raw.issues', 'raw.commits')
    group by repository, month
),

spans as (
    select
        repositories.dataset,
        repositories.repository,
        repositories.start_month,
        repositories.trend_start_month,
        max(loads.month) as last_month
    from repositories
    inner join loads
        on repositories.repository = loads.repository
        and loads.has_issues
    group by all
),

calendar as (
    select
        spans.dataset,
        spans.repository,
        spans.trend_start_month,
        strftime(first_days.first_day, '%Y-%m') as month
    from spans
    cross join unnest(
        generate_series(
            strptime(spans.start_month, '%Y-%m'),
            strptime(spans.last_month, '%Y-%m'),
            interval 1 month
        )
    ) as first_days(first_day)
),

completeness as (
    select
        calendar.dataset,
        calendar.repository,
        calendar.month,
        calendar.trend_start_month,
        bool_and(coalesce(loads.is_loaded, false)) over (
            partition by calendar.dataset, calendar.repository order by calendar.month
        ) as is_complete
    from calendar
    left join loads
        on calendar.repository = loads.repository
        and calendar.month = loads.month
),

live as (
    select
        dataset,
        repository,
        month,
        is_complete
    from completeness
    where month >= trend_start_month
),

-- A published month is the state at its beginning, ours that at the end of the month before.
replication as (
    select
        'replication' as dataset,
        published.repository,
        strftime(first_days.first_day - interval 1 month, '%Y-%m') as month,
        true as is_complete
    from published
    cross join unnest(
        generate_series(
            strptime(published.first_month, '%Y-%m'),
            strptime(published.last_month, '%Y-%m'),
            interval 1 month
        )
    ) as first_days(first_day)
)

select * from live
union all
select * from replication
