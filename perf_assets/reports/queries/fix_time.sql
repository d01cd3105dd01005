select
    tests.repository, tests.n_performance, tests.n_other, tests.median_performance,
    tests.median_other, tests.cliffs_delta, tests.power, tests.is_too_few,
    family.p_value_holm as p
from analysis.group_comparisons as tests
left join analysis.adjusted_tests as family
    on family.dataset = tests.dataset
    and family.repository = tests.repository
    and family.source = 'group_comparisons'
    and family.result_of = tests.metric
where tests.dataset = 'live' and tests.metric = 'fix_time_days'
