-- How performance bugs differ from others: medians and the verdict adjusted for all headline tests.
select
    tests.repository, tests.metric, tests.n_performance, tests.n_other, tests.median_performance,
    tests.median_other, tests.cliffs_delta, tests.rank_sum_p_value, tests.power, tests.is_too_few,
    coalesce(family.p_value_holm, tests.p_value) as p
from analysis.group_comparisons as tests
left join analysis.adjusted_tests as family
    on family.dataset = tests.dataset
    and family.repository = tests.repository
    and family.source = 'group_comparisons'
    and family.result_of = tests.metric
where tests.dataset = 'live'
order by
    tests.repository = 'pooled', tests.repository,
    list_position(
        ['fix_time_days', 'fix_size', 'hours_to_first_comment', 'comments', 'commentators'],
        tests.metric
    )
