select
    tests.repository, tests.metric, tests.n_performance, tests.n_other, tests.median_performance,
    tests.median_other, tests.cliffs_delta as estimate, effects.cliffs_delta_low as low,
    effects.cliffs_delta_high as high, tests.magnitude, tests.p_value_clustered as p,
    effects.p_value_holm as p_adjusted, tests.heterogeneity_p_value as p_of_equal_deltas
from analysis.group_comparisons as tests
left join analysis.effect_sizes as effects using (dataset, repository, metric)
where tests.dataset = 'live' and is_listed(
    tests.repository,
    (select count(distinct repository) from analysis.group_comparisons where dataset = 'live')
)
order by
    tests.repository = 'pooled', tests.repository,
    metric_order(tests.metric)
