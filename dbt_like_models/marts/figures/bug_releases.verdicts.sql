with shares as (
    select
        repository, count(is_against_last_release) as known,
        count(*) filter (where is_against_last_release) as regressions,
        count(first_fixed_release) as released,
        median(days_to_release) as days_to_release
    from marts.bug_releases
    where is_performance
    group by repository
)

select repository, printf(
    'Of %s with a known release %d were reported against the last release.%s',
    case when known = 1 then '1 fixed performance bug' else known || ' fixed performance bugs' end,
    regressions,
    case when released = 0 then '' else printf(
        ' The release with the fix came in the median %.0f days after it.', days_to_release
    ) end
)
from shares
where known > 0
order by repository
