with moved as (
    select
        repository, metric,
        any_value(cliffs_delta) filter (
            where (json_array_length(parameters, '$.left_out') = 0)
        ) as delta,
        any_value(p_value) filter (where (json_array_length(parameters, '$.left_out') = 0)) as p,
        min(cliffs_delta) filter (
            where not (json_array_length(parameters, '$.left_out') = 0)
        ) as lowest,
        max(cliffs_delta) filter (
            where not (json_array_length(parameters, '$.left_out') = 0)
        ) as highest,
        max(p_value) filter (
            where not (json_array_length(parameters, '$.left_out') = 0)
        ) as highest_p
    from analysis.link_sensitivity as tests
    where dataset = 'live' and is_listed(
        tests.repository,
        (select count(distinct repository) from analysis.link_sensitivity where dataset = 'live')
    )
    group by repository, metric
)

select repository, printf(
    '%s: delta = %.3f, %s with all links; without doubtful links delta is between %.3f and %.3f, '
    || 'and %s at most',
    metric_words(metric), delta, p_text(p), lowest, highest, p_text(highest_p)
)
from moved
where delta is not null and lowest is not null
order by
    repository = 'pooled', repository,
    metric_order(metric)
