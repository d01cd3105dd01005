select repository, result
from analysis.closing_rates
where dataset = 'live' and kind = 'performance_against_other'
order by repository
