select
    repository as place, 'whether findings are right' as asked, raters, method, n,
    kappa as estimate, low, high, reading
from analysis.finding_agreement
where true
order by place = 'pooled', place, asked, method, raters
