-- Question: which labels do performance bugs carry, and how long do they take to fix by label?
-- How to read: one line a label, with the bug reports that carry it, how many of them are performance
-- bugs, and the median fix time of both kinds in days, NULL where none is fixed. A bug report counts
-- for each of its labels.
-- Group: fixes
-- Words: duration, component, module

with

parameters as (
    select
        coalesce(getvariable('least'), 1) as least -- count: labels with at least so many performance bugs
),

bugs as (
    select
        repository,
        is_performance,
        is_fixed,
        fix_time_days,
        unnest(labels) as label
    from marts.bug_metrics
    where dataset = 'live'
)

select
    repository,
    label,
    count(*) as bug_reports,
    count(*) filter (where is_performance) as performance_bugs,
    count(*) filter (where is_performance and is_fixed) as fixed_performance_bugs,
    round(median(fix_time_days) filter (where is_performance), 1) as performance_days,
    round(median(fix_time_days) filter (where not is_performance), 1) as other_days
from bugs
group by repository, label
having count(*) filter (where is_performance) >= (select parameters.least from parameters)
order by repository, performance_bugs desc, label;
