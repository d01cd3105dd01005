select
    repository, event, is_performance, days, percent,
    coalesce(percent_low, percent) as low, coalesce(percent_high, percent) as high
from analysis.fix_curves
where
    dataset = 'live' and repository <> 'pooled'
    and exists (
        from analysis.fix_incidence as fixed
        where
            fixed.dataset = fix_curves.dataset and fixed.repository = fix_curves.repository
            and fixed.event = 'fixed' and fixed.events_performance + fixed.events_other > 0
    )
order by repository, event, is_performance, days
