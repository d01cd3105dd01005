select
    repository, measure, rule, rater, n as judged, successes as yes, n_unsure as unsure,
    estimate_percent as estimate, low_percent as low, high_percent as high
from analysis.labelling_quality
where
    dataset = 'live' and (rule = 'all' or rater = 'consensus')
    and is_listed(
        repository,
        (select count(distinct repository) from analysis.labelling_quality where dataset = 'live')
    )
order by repository = 'pooled', repository, rule <> 'all', measure, rater, n desc, rule
