select
    alert_id, repository, area, series, direction, month, first_month, last_month, months_before,
    months_after, level_before, level_after, effect, n_before, n_after, p_value, performance_bugs,
    issues, group_ids, also_changed, result
from marts.alerts
where state = 'new'
order by month desc, repository, alert_id
