select
    (
        select value
        from meta.about
        where topic = 'database' and fact = 'published_at'
    ) as published_at,
    (
        select max(month)
        from staging.loaded_months
        where dataset = 'live'
    ) as newest_month
