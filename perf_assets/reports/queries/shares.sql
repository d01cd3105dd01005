with bugs as (
    select
        repository, sum(open + closed) as reports,
        coalesce(sum(open + closed) filter (where is_performance), 0) as performance
    from marts.dataset_breakdown
    where dataset = 'live'
    group by grouping sets ((repository), ())
)

select
    coalesce(bugs.repository, 'pooled') as repository, reports, performance,
    100.0 * performance / reports as percent,
    wilson_low(performance, reports) as low, wilson_high(performance, reports) as high,
    months.first_month, activity.last_series_month, activity.is_at_rest,
    activity.archived_month
from bugs
left join (
    select repository, min(month) as first_month
    from staging.loaded_months
    where dataset = 'live' and has_issues
    group by repository
) as months using (repository)
left join (from marts.activity where dataset = 'live') as activity using (repository)
where reports > 0
order by bugs.repository is null, bugs.repository
