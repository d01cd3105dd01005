select repository, raters, method, n as judged, observed, kappa, low, high, reading
from analysis.finding_agreement
where
    is_listed(repository, (select count(distinct repository) from analysis.finding_agreement))
order by repository = 'pooled', repository, method, raters
