-- Of fewer bug reports than these an interval says nothing.
with counts as (
    select repository, month, 'open' as color, open_performance as k, open_total as n
    from marts.trend_monthly
    where dataset = 'live' and is_complete
    union all
    select repository, month, 'fixed', fixed_performance, fixed_total
    from marts.trend_monthly
    where dataset = 'live' and is_complete
)

select
    repository, month, color, 100.0 * k / n as value, k || ' of ' || n as counts,
    wilson_low(k, n) as low, wilson_high(k, n) as high
from counts
where n >= 5
union all by name
select repository, month, 'labelling changed' as color, string_agg(result, '; ') as counts
from marts.instrument_changes
where month in (select month from counts)
group by repository, month
order by repository, month, color
