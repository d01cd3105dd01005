select repository, result
from analysis.open_share_changes
where dataset = 'live'
order by repository
