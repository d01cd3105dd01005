-- The share of performance bugs among new bug reports: month by month, and its level, which is that
-- before and after a change, or else of each calendar year; and what changed in the labelling.
with counted as (
    select repository, month, opened_performance as k, opened_total as n
    from marts.trend_monthly
    where dataset = 'live' and is_complete
),

changes as (
    select repository, month as changed
    from marts.alerts
    where series = 'opened_share' and area is null and state in ('new', 'known')
    qualify row_number() over (partition by repository order by month desc, alert_id) = 1
),

spans as (
    select
        counted.*, changed,
        case
            when changed is null then left(month, 4)
            when month < changed then 'before' else 'since'
        end as span
    from counted
    left join changes using (repository)
),

levels as (
    select
        repository, month, changed,
        sum(k) over of_span as k, sum(n) over of_span as n
    from spans
    window of_span as (partition by repository, span)
)

select
    repository, month, 'in the month' as color, 100.0 * k / n as value,
    k || ' of ' || n as counts, null::double as low, null::double as high, changed
from spans
where n >= 5
union all by name
select
    repository, month,
    case when changed is null then 'in the year' else 'before and since' end as color,
    100.0 * k / n as value, k || ' of ' || n as counts,
    wilson_low(k, n) as low, wilson_high(k, n) as high, changed
from levels
where n > 0
union all by name
select
    repository, month, 'labelling changed' as color, string_agg(result, '; ') as counts
from marts.instrument_changes
group by repository, month
order by repository, month, color
