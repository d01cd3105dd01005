select
    repository, question, raters, method, n as judged, observed, kappa, low, high, reading
from analysis.rater_agreement
where (
    repository <> 'pooled'
    or (select count(distinct repository) > 2 from analysis.rater_agreement where dataset = 'live')
)
order by repository = 'pooled', repository, question, method, raters
