with fixed as (
    select repository
    from marts.bug_metrics
    where dataset = 'live' and is_performance and fix_commits > 0
    group by repository
    having count(*) >= 5
)

select
    repository, area as "group", name as what, performance_fixes as size,
    mean_age_of_removed_lines_days as shade
from marts.hot_spots
semi join fixed using (repository)
where dataset = 'live' and code_unit = 'file'
qualify row_number() over (
    partition by repository order by performance_fixes desc, fixes desc, name
) <= 40
order by repository, size desc, what
