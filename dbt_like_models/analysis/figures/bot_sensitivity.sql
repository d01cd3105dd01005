select
    repository, metric, 'bots ' || replace(bots, '_', ' ') as variant, n_performance, n_other,
    cliffs_delta as estimate, magnitude, p_value as p
from analysis.bot_sensitivity as tests
where dataset = 'live' and with_bots > 0 and is_listed(
    tests.repository,
    (select count(distinct repository) from analysis.bot_sensitivity where dataset = 'live')
)
qualify not bool_or(is_too_few and (bots = 'left_out')) over (partition by repository, metric)
order by
    repository = 'pooled', repository,
    metric_order(metric),
    variant
