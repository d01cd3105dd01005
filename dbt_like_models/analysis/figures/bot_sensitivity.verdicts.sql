with moved as (
    select
        repository, metric, any_value(cliffs_delta) filter (where (bots = 'left_out')) as delta,
        any_value(p_value) filter (where (bots = 'left_out')) as p,
        min(cliffs_delta) filter (where not (bots = 'left_out')) as lowest,
        max(p_value) filter (where not (bots = 'left_out')) as highest_p
    from analysis.bot_sensitivity as tests
    where dataset = 'live' and with_bots > 0 and is_listed(
        tests.repository,
        (select count(distinct repository) from analysis.bot_sensitivity where dataset = 'live')
    )
    group by repository, metric
)

select repository, printf(
    '%s: delta = %.3f, %s without bots; delta = %.3f, %s with bots',
    metric_words(metric), delta, p_text(p), lowest, p_text(highest_p)
)
from moved
where delta is not null and lowest is not null
order by
    repository = 'pooled', repository,
    metric_order(metric)
