select repository as what, rate_ratio as estimate, rate_ratio_low as low, rate_ratio_high as high
from analysis.closing_rates
where dataset = 'live' and kind = 'performance_against_other' and rate_ratio is not null
order by repository
