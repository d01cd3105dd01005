-- The changes of a series that nobody has looked at, the newest first.
select repository, alert_id, area, series, direction, month, performance_bugs
from marts.alerts
where state = 'new'
order by month desc, repository, alert_id
