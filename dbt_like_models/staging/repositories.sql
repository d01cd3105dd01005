-- The repositories of each dataset, and the months from which on they are studied.

with

live as (
    select
        'live' as dataset,
        repository,
        start_month,
        trend_start_month
    from meta.repositories
)

select * from live
