with shown as (
    from marts.alerts
    where state in ('new', 'known')
    qualify row_number() over (partition by repository order by month desc, alert_id) <= 6
)

select repository, printf(
    '%s%s%s; state: %s', result,
    case when len(also_changed) > 0 then '; also: ' || array_to_string(also_changed, '; ')
    else '' end,
    case when len(issues) > 0 then printf(
        '; behind it: %s%s',
        array_to_string(list_transform(issues, lambda number: '#' || number), ' '),
        case when performance_bugs > len(issues)
        then printf(' and %d more', performance_bugs - len(issues)) else '' end
    ) else '' end,
    state
)
from shown
order by month desc, repository, alert_id
