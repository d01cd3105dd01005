select
    repository, metric,
    case json_array_length(parameters, '$.left_out')
        when 0 then 'all links'
        when 1 then replace(trim(json_extract_string(parameters, '$.left_out'), '[]"'), '_', ' ')
        else 'all of these left out'
    end as variant,
    n_performance, n_other,
    cliffs_delta as estimate, magnitude, p_value as p
from analysis.link_sensitivity as tests
where dataset = 'live' and is_listed(
    tests.repository,
    (select count(distinct repository) from analysis.link_sensitivity where dataset = 'live')
)
qualify not bool_or(is_too_few and (json_array_length(parameters, '$.left_out') = 0)) over (
    partition by repository, metric
)
order by
    repository = 'pooled', repository,
    metric_order(metric),
    variant
