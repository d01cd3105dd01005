select
    repository, code_unit, name, area, performance_fixes, fixes, commits_between, churn_between,
    removed_lines, round(mean_age_of_removed_lines_days) as age_of_removed_lines_days
from marts.hot_spots
where dataset = 'live'
qualify row_number() over (
    partition by repository, code_unit order by performance_fixes desc, fixes desc, name
) <= 40
order by repository, code_unit, performance_fixes desc, fixes desc, name
