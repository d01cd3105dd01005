select
    repository, series, n as months, n_pairs as pairs, n_positive as rising, p_value as p,
    round(100 * false_alarm_share, 1) as false_alarms_percent
from analysis.trend_tests
where dataset = 'live' and method = 'cox_stuart' and series in ('open', 'fixed')
order by repository, series desc
