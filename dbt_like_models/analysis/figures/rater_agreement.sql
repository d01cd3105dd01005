select
    repository as place, question as asked, raters, method, n, kappa as estimate, low, high, reading
from analysis.rater_agreement
where dataset = 'live' and (
    repository <> 'pooled'
    or (select count(distinct repository) > 2 from analysis.rater_agreement where dataset = 'live')
)
order by place = 'pooled', place, asked, method, raters
