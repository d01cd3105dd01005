-- The share gained, from the first month of the series with any such report to the last.
with counts as (
    select repository, month, 'open' as series, open_performance as k, open_total as n
    from marts.trend_monthly
    where dataset = 'live' and is_complete
    union all
    select repository, month, 'fixed', fixed_performance, fixed_total
    from marts.trend_monthly
    where dataset = 'live' and is_complete
),

shares as (
    select *, 100.0 * k / n as percent,
    wilson_low(k, n) as low, wilson_high(k, n) as high
    from counts
    where n > 0
),

ends as (
    select
        repository, series, arg_min(shares, month) as first, arg_max(shares, month) as last
    from shares
    group by repository, series
    having count(*) > 1
)

select
    repository, series, first.month as first_month,
    first.k || ' of ' || first.n as first_counts, first.percent as first_percent,
    first.low as first_low, first.high as first_high,
    last.month as last_month, last.k || ' of ' || last.n as last_counts,
    last.percent as last_percent, last.low as last_low, last.high as last_high,
    case when least(first.n, last.n) >= 5 then last.percent - first.percent end
        as points_gained,
    tests.n_pairs, tests.n_positive as rising_pairs, tests.p_value as p,
    100 * tests.false_alarm_share as false_alarms_percent, tests.is_too_few, tests.result
from ends
inner join analysis.trend_tests as tests using (repository, series)
where tests.dataset = 'live' and tests.method = 'cox_stuart'
order by repository, series desc
