select
    tests.repository, tests.metric,
    tests.n_performance || ' / ' || tests.n_other as bugs,
    coalesce(cast(round(tests.median_performance, 2) as varchar), '-') || ' / '
        || coalesce(cast(round(tests.median_other, 2) as varchar), '-') as median,
    tests.rank_sum_p_value as rank_sum_p,
    case
        when tests.is_too_few then 'too few'
        else printf('%.2f', tests.cliffs_delta) || coalesce(
            printf(' [%.2f, %.2f]', effects.cliffs_delta_low, effects.cliffs_delta_high), ''
        )
    end as delta,
    family.p_value_holm as p_adjusted
from analysis.group_comparisons as tests
left join analysis.effect_sizes as effects using (dataset, repository, metric)
left join analysis.adjusted_tests as family
    on family.dataset = tests.dataset
    and family.repository = tests.repository
    and family.source = 'group_comparisons'
    and family.result_of = tests.metric
where
    tests.dataset = 'live'
    and is_listed(
        tests.repository,
        (select count(distinct repository) from analysis.group_comparisons where dataset = 'live')
    )
order by tests.repository = 'pooled', tests.repository, tests.metric
