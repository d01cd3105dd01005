with shown as (
    from marts.alerts
    where state in ('new', 'known')
    qualify row_number() over (partition by repository order by month desc, alert_id) <= 6
)

select
    alert_id, repository, coalesce(area, 'all') as area, series, month, level_before, level_after,
    months_before, months_after, n_before, n_after, p_value as p, state,
    array_to_string(also_changed, '; ') as also_changed
from shown
order by month desc, repository, alert_id
