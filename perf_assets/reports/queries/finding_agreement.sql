select repository, raters, method, n as judged, observed, kappa, low, high, reading
from analysis.finding_agreement
where
    repository <> 'pooled'
    or (select count(distinct repository) > 2 from analysis.finding_agreement)
order by repository = 'pooled', repository, method, raters
