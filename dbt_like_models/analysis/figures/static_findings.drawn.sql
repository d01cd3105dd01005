select repository, quarter, rule, findings
from (
    select findings.*
    from analysis.static_findings as findings
    left join (
        select
            repository,
            strptime(last_series_month, '%Y-%m') as began,
            year(began) || '-Q' || quarter(began) as rested_in
        from marts.activity
        where dataset = 'live' and is_at_rest
    ) as rested using (repository)
    window of_repository as (partition by repository)
    qualify
        quarter <= coalesce(rested_in, quarter)
        or quarter <= max(quarter) filter ("new" + gone + rewritten > 0) over of_repository
)
qualify sum(findings) over (partition by repository, rule) > 0
order by repository, quarter, rule
