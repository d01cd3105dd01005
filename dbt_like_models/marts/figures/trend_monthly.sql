select
    repository, month, opened_performance, opened_total, newly_fixed_performance,
    newly_fixed_total, open_performance, open_total, open_percentage, fixed_performance,
    fixed_total, fixed_percentage
from marts.trend_monthly
where dataset = 'live' and is_complete
qualify row_number() over (partition by repository order by month desc) <= 6
order by repository, month desc
