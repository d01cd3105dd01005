with areas as (
    select *, row_number() over (partition by repository order by open_performance_bugs desc, area)
        as place
    from figure_rows
    where area <> 'unknown'
),

sources as (
    select
        repository, count(distinct number) as bug_reports,
        count(distinct number) filter (where area_source is not null) as located,
        count(distinct number) filter (where area_source = 'label') as by_label,
        count(distinct number) filter (where area_source = 'fix') as by_fix,
        count(distinct number) filter (where area_source = 'stack_trace') as by_trace
    from marts.bug_areas
    where dataset = 'live'
    group by repository
)

select repository, printf(
    'most performance bugs are in %s',
    string_agg(printf(
        '%s (%d, %d of them open; %.0f %% [%.0f, %.0f] of its %d bug reports)',
        area, performance_bugs, open_performance_bugs, estimate, low, high, bug_reports
    ), ', ' order by performance_bugs desc, area)
)
from (
    from areas where estimate is not null
    qualify row_number() over (partition by repository order by performance_bugs desc, area) <= 3
)
group by repository
union all
select repository, printf(
    'too few to compare areas: the area with the most has %d performance bug%s, at least 5 are '
    || 'needed',
    max(performance_bugs), case when max(performance_bugs) = 1 then '' else 's' end
)
from areas
group by repository
having count(estimate) = 0
union all
select repository, printf(
    'bug reports with an area: %d of %d; %d by labels, %d by the files of their fixes, %d by stack '
    || 'traces', located, bug_reports, by_label, by_fix, by_trace
)
from sources
order by all
