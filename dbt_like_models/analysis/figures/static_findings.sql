select
    repository, quarter, rule, findings, "new", gone, rewritten, files_scanned, per_1000_files,
    judged, right_percent, right_low, right_high
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
left join (
    select
        repository, rule, judged, estimate_percent as right_percent,
        low_percent as right_low, high_percent as right_high
    from analysis.finding_precision
    where rater = 'consensus'
) as judged_ones using (repository, rule)
order by quarter desc, repository, findings desc, rule
