select
    tests.repository, tests.metric, tests.n_performance, tests.n_other,
    tests.median_performance, tests.median_other, tests.percent_larger,
    tests.rank_sum_p_value as rank_sum_p, tests.rank_sum_cliffs_delta as rank_sum_delta,
    tests.p_value_clustered as p_within_repositories,
    tests.cliffs_delta as delta_within_repositories, tests.method, tests.too_few_reason
from analysis.group_comparisons as tests
where tests.dataset = 'live' and is_listed(
    tests.repository,
    (select count(distinct repository) from analysis.group_comparisons where dataset = 'live')
)
order by
    tests.repository = 'pooled', tests.repository,
    metric_order(tests.metric)
