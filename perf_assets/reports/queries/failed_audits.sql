select repository, month, any_value(message) as message
from meta.partition_loads
where status = 'failed'
group by repository, month
order by repository, month
