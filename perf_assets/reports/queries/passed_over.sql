select repository
from marts.dataset_breakdown
where dataset = 'live'
group by repository
qualify row_number() over (order by sum(open + closed) desc, repository) > 20
