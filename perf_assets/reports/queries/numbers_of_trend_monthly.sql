select
    sum(open_performance) as "performance bugs open (backlog)",
    100 * sum(open_performance) / nullif(sum(open_total), 0)
        as "open bug reports that are performance bugs, percent"
from (
    select arg_max(columns(['open_performance', 'open_total']), month)
    from marts.trend_monthly
    where dataset = 'live'
    group by repository
) as newest(open_performance, open_total)
