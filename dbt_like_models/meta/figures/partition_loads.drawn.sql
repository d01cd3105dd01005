select months.*
from queries.audited_months as months
left join marts.activity as activity
    on activity.dataset = 'live' and activity.repository = months.repository
where month <= coalesce(last_series_month, month) or audit <> 'passed'
order by
    count(*) filter (where audit <> 'passed') over (partition by months.repository) desc,
    months.repository, month
