select
    repository, question, raters, method, n as judged, observed, kappa, low, high, reading
from analysis.rater_agreement
where is_listed(
    repository,
    (select count(distinct repository) from analysis.rater_agreement where dataset = 'live')
)
order by repository = 'pooled', repository, question, method, raters
