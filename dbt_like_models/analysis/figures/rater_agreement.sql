select
    repository as place, question as asked, raters, method, n, kappa as estimate, low, high, reading
from analysis.rater_agreement
where dataset = 'live' and is_listed(
    repository,
    (select count(distinct repository) from analysis.rater_agreement where dataset = 'live')
)
order by place = 'pooled', place, asked, method, raters
