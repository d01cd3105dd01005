select
    repository, result_of, label_rule, n_performance, n_other, effect as estimate,
    effect_low as low, effect_high as high, p_value as p
from analysis.label_sensitivity as tests
where dataset = 'live' and is_listed(
    tests.repository,
    (select count(distinct repository) from analysis.label_sensitivity where dataset = 'live')
)
qualify
    effect is not null
    and not bool_or(is_too_few and label_rule = 'study') over (partition by repository, result_of)
order by
    repository = 'pooled', repository, result_of,
    list_position(['study', 'without_weak', 'strong_alone', 'widened'], label_rule)
