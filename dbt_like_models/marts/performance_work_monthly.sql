-- Performance work beside the reports, month by month: how many performance bugs were reported, and how
-- many changes of the default branch fixed such bugs, fixed what nobody had reported, made something
-- faster or smaller, or guard what was reached. For the whole repository (area 'all') and for each area;
-- what is in several areas counts in each. The share is of all changes of the repository in that month.

with

months as (
    select * from intermediate.months where dataset = 'live'
),

changes as (
    select * from intermediate.performance_changes
),

touched as (
    select
        repository,
        sha,
        areas.area,
        areas.is_test_or_documentation,
        bool_and(areas.is_test_or_documentation) over (partition by repository, sha) as is_all_aside
    from links.fix_areas as areas
),

placed as (
    select
        repository,
        sha,
        'all' as area
    from changes
    where changes.work <> 'none'
    union all
    select distinct
        repository,
        sha,
        area
    from touched
    where is_all_aside or not is_test_or_documentation
),

work as (
    select
        repository,
        placed.area,
        changes.month,
        changes.work
    from changes
    inner join placed using (repository, sha)
    where changes.work <> 'none'
),

reports as (
    select
        dataset,
        repository,
        number,
        month,
        'all' as area
    from staging.bug_reports
    where is_performance
    union all
    select
        dataset,
        repository,
        number,
        month,
        area
    from marts.bug_areas
    where is_performance
),

happenings as (
    select
        repository,
        area,
        month,
        work,
        cast(null as bigint) as reported
    from work
    union all
    select
        repository,
        area,
        month,
        cast(null as varchar) as work,
        number as reported
    from reports
    where dataset = 'live'
    union all
    select
        repository,
        'all' as area,
        month,
        cast(null as varchar) as work,
        cast(null as bigint) as reported
    from months
),

counted as (
    select
        repository,
        area,
        month,
        count(reported) as reports,
        count(work) filter (where work = 'fix_with_report') as fixes_with_report,
        count(work) filter (where work = 'fix_without_report') as fixes_without_report,
        count(work) filter (where work = 'optimisation') as optimisations,
        count(work) filter (where work = 'guard') as guards
    from happenings
    group by repository, area, month
),

totals as (
    select
        repository,
        month,
        count(sha) as all_changes
    from changes
    group by repository, month
),

monthly as (
    select
        months.dataset,
        repository,
        counted.area,
        month,
        months.is_complete,
        counted.reports,
        counted.fixes_with_report,
        counted.fixes_without_report,
        counted.optimisations,
        counted.guards,
        counted.fixes_with_report + counted.fixes_without_report + counted.optimisations
            as performance_changes,
        coalesce(totals.all_changes, 0) as all_changes
    from counted
    inner join months using (repository, month)
    left join totals using (repository, month)
)

select
    *,
    100 * performance_changes / nullif(all_changes, 0) as work_percentage
from monthly
