-- Question: how do two repositories compare?
-- How to read: one line a figure, a column a repository: the first and the last by name unless others
-- are given. Where there is one repository, second is NULL: two_spans_side_by_side compares its months.
-- Names say which bugs a figure is over; medians are over performance bugs, NULL where there is none.
-- Group: trend
-- Words: compare, versus

with

parameters as (
    select
        coalesce(getvariable('first'), (select min(repository) from meta.repositories)) as first, -- repository of meta.repositories: one repository
        coalesce(getvariable('second'), (select nullif(max(repository), min(repository)) from meta.repositories)) as second -- repository of meta.repositories: the other
),

figures as (
    select
        repository,
        count(*) as bug_reports,
        count(*) filter (where is_performance) as performance_bugs,
        round(100 * count(*) filter (where is_performance) / nullif(count(*), 0), 1)
            as performance_percentage,
        round(100 * count(*) filter (where is_fixed) / nullif(count(*), 0), 1)
            as bug_reports_fixed_percentage,
        round(
            100 * count(*) filter (where is_fixed and is_performance)
            / nullif(count(*) filter (where is_performance), 0), 1
        ) as performance_bugs_fixed_percentage,
        round(median(fix_time_days) filter (where is_performance), 1)
            as performance_bugs_median_fix_time_days,
        median(fix_size) filter (where is_performance and is_fixed)
            as performance_bugs_median_fix_size,
        round(median(hours_to_first_comment) filter (where is_performance), 1)
            as performance_bugs_median_hours_to_first_comment
    from marts.bug_metrics
    where dataset = 'live'
    group by repository
),

long as (
    unpivot (
        select
            repository,
            cast(bug_reports as double) as bug_reports,
            cast(performance_bugs as double) as performance_bugs,
            performance_percentage,
            bug_reports_fixed_percentage,
            performance_bugs_fixed_percentage,
            performance_bugs_median_fix_time_days,
            performance_bugs_median_fix_size,
            performance_bugs_median_hours_to_first_comment
        from figures
    )
    on columns(* exclude (repository))
    into name figure value amount
)

select
    long.figure,
    max(long.amount) filter (where long.repository = parameters.first) as first,
    max(long.amount) filter (where long.repository = parameters.second) as second,
    parameters.first as first_repository,
    parameters.second as second_repository
from long
cross join parameters
group by long.figure, parameters.first, parameters.second
order by long.figure;
