with fixed as (
    select repository, count(*) as fixed
    from marts.bug_metrics
    where dataset = 'live' and is_performance and fix_commits > 0
    group by repository
),

spots as (
    select * from marts.hot_spots where dataset = 'live'
),

places as (
    select repository, code_unit, count(*) filter (where performance_fixes > 1) as again
    from spots
    group by repository, code_unit
),

named as (
    select repository, code_unit, string_agg(
        printf('%s (%d)', name, performance_fixes), ', '
        order by performance_fixes desc, fixes desc, name
    ) as names
    from (
        from spots where performance_fixes > 1
        qualify row_number() over (
            partition by repository, code_unit order by performance_fixes desc, fixes desc, name
        ) <= 3
    )
    group by repository, code_unit
)

select repository, case
    when fixed < 5 then printf(
        'too few to name hot spots: %d performance bug%s with a fix, at least 5 are needed',
        fixed, case when fixed = 1 then '' else 's' end
    )
    when again = 0 then printf(
        'no %s was changed by the fixes of two or more of the %d fixed performance bugs',
        code_unit, fixed
    )
    else printf(
        '%ss changed by the fixes of two or more of %d performance bugs: %d; most often %s',
        code_unit, fixed, again, names
    )
end
from places
inner join fixed using (repository)
left join named using (repository, code_unit)
where fixed >= 5 or code_unit = 'file'
order by repository, code_unit
