select newest.repository, printf(
    'end of %s: %s; %s', newest.month,
    case
        when newest.open_total = 0 then 'no bug report is open'
        else printf(
            'performance bugs among open bug reports: %d of %d (%.1f %%)%s',
            newest.open_performance, newest.open_total, newest.open_percentage,
            case when before.open_total > 0 then printf(
                ', a year earlier %d of %d', before.open_performance, before.open_total
            ) else '' end
        )
    end,
    case
        when newest.fixed_total = 0 then 'no bug report is known to be fixed'
        else printf(
            'performance bugs among fixed bug reports: %d of %d (%.1f %%)%s',
            newest.fixed_performance, newest.fixed_total, newest.fixed_percentage,
            case when before.fixed_total > 0 then printf(
                ', a year earlier %d of %d', before.fixed_performance, before.fixed_total
            ) else '' end
        )
    end
)
from (
    from marts.trend_monthly
    where dataset = 'live' and is_complete
    qualify row_number() over (partition by repository order by month desc) = 1
) as newest
left join marts.trend_monthly as before
    on before.dataset = newest.dataset
    and before.repository = newest.repository
    and before.month = strftime((newest.month || '-01')::date - interval 1 year, '%Y-%m')
order by newest.repository
