-- Metrics that are too few for the same reason share a sentence.
with results as (
    select
        tests.repository, metric_words(tests.metric) as metric, tests.result, tests.is_too_few,
        metric_order(tests.metric) as place
    from analysis.effect_sizes as tests
    where tests.dataset = 'live' and is_listed(
        tests.repository,
        (select count(distinct repository) from analysis.effect_sizes where dataset = 'live')
    )
)

select repository, string_agg(metric, ', ' order by place) || ': ' || result
from results
group by repository, result, is_too_few
order by repository = 'pooled', repository, is_too_few, min(place)
