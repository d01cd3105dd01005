-- Of all repositories together, as the paper draws them. The last percent would stretch the axis.
with bugs as (
    select * from marts.bug_metrics where dataset = 'live'
),

measured as (
    select is_performance, unnest([
        {'metric': 'fix_time_days', 'value': fix_time_days},
        {'metric': 'fix_size', 'value': case when is_fixed then cast(fix_size as double) end},
        {'metric': 'hours_to_first_comment', 'value': hours_to_first_comment},
        {'metric': 'comments', 'value': cast(comments as double)},
        {'metric': 'commentators', 'value': cast(commentators as double)}
    ], recursive := true)
    from bugs
),

quantiles as (
    select
        case when (select count(distinct repository) from bugs) > 1 then 'pooled'
            else (select any_value(repository) from bugs) end as repository,
        metric, is_performance, count(value) as n, median(value) as median,
        quantile_cont(value, [i / 100.0 for i in range(100)]) as points
    from measured
    where value is not null and is_performance is not null
    group by metric, is_performance
    qualify min(n) over (partition by metric) >= 6
        and count(*) over (partition by metric) = 2
)

select
    repository, metric, is_performance, n, median,
    unnest([i / 100.0 for i in range(100)]) as share, unnest(points) as value
from quantiles
order by
    metric_order(metric),
    not is_performance, share
