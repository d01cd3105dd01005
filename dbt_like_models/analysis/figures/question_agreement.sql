select
    forum as place, asked as asked, raters, method, n, kappa as estimate, low, high, reading
from analysis.question_agreement
where true
order by place = 'pooled', place, asked, method, raters
