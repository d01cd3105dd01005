select
    repository, min(month) as first, max(month) as last, count(*) as months,
    count(*) filter (where audit = 'passed') as passed,
    count(*) filter (where audit <> 'passed') as refused,
    arg_max(month, month) filter (where audit <> 'passed') as newest_refused
from queries.audited_months
group by repository
order by refused desc, repository
