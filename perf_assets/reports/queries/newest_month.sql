select
    repository, month, is_complete, opened_performance, opened_total, newly_fixed_performance,
    newly_fixed_total, open_performance, open_total,
    round(open_percentage, 1) as open_percentage,
    lag(open_performance) over months as open_before,
    lag(opened_performance) over months as opened_before,
    lag(newly_fixed_performance) over months as fixed_before, fixed_performance,
    median(opened_performance) over year_before as opened_median,
    median(newly_fixed_performance) over year_before as fixed_median,
    activity.is_at_rest, activity.last_month, activity.archived_month
from marts.trend_monthly
inner join marts.activity as activity using (dataset, repository)
where dataset = 'live'
window
    months as (partition by repository order by month),
    year_before as (
        partition by repository order by month rows between 12 preceding and 1 preceding
    )
qualify row_number() over (partition by repository order by month desc) = 1
order by repository
