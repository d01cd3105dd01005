select
    repository, n, rate_ratio as estimate, rate_ratio_low as low, rate_ratio_high as high,
    rate_ratio_p_value as p, rate_ratio_per_year as change_a_year,
    rate_ratio_per_year_low as change_low, rate_ratio_per_year_high as change_high,
    p_value as p_of_change
from analysis.closing_rates
where dataset = 'live' and kind = 'performance_against_other'
order by repository
