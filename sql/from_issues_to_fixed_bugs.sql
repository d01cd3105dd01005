-- Question: how many issues are bug reports, how many of these are closed and fixed, and how many of
-- each are about performance?
-- How to read: one line a step, the next one within the one before; percent is the share of performance
-- bugs among the reports of the step, percent_of_before the share of the step before that is left. A
-- published data set has no other issues. Of fixed performance bugs, confirmed says how many of those
-- that people judged they take for performance bugs.
-- Group: trend
-- Words: funnel, count, total

with

steps as (
    select
        dataset,
        repository,
        1 as place,
        'issues' as step,
        count(*) as reports,
        count(*) filter (where is_performance) as performance_bugs
    from staging.issues
    where dataset = 'live'
    group by dataset, repository
    union all
    select
        dataset,
        repository,
        2 as place,
        'bug reports' as step,
        sum(open + closed) as reports,
        sum(open + closed) filter (where is_performance) as performance_bugs
    from marts.dataset_breakdown
    group by dataset, repository
    union all
    select
        dataset,
        repository,
        3 as place,
        'closed' as step,
        sum(closed) as reports,
        sum(closed) filter (where is_performance) as performance_bugs
    from marts.dataset_breakdown
    group by dataset, repository
    union all
    select
        dataset,
        repository,
        4 as place,
        'fixed' as step,
        sum(fixed) as reports,
        sum(fixed) filter (where is_performance) as performance_bugs
    from marts.dataset_breakdown
    group by dataset, repository
),

judged as (
    select
        dataset,
        repository,
        4 as place,
        count(*) as judged,
        count(*) filter (where reviewed.verdict = 'yes') as confirmed
    from intermediate.reviewed_bugs as reviewed
    inner join marts.bug_metrics as bugs using (dataset, repository, number)
    where bugs.is_performance and bugs.is_fixed
    group by dataset, repository
)

select
    dataset,
    repository,
    steps.step,
    cast(steps.reports as bigint) as reports,
    cast(steps.performance_bugs as bigint) as performance_bugs,
    round(100 * steps.performance_bugs / nullif(steps.reports, 0), 1) as percent,
    round(
        100 * steps.reports / nullif(
            lag(steps.reports) over (partition by dataset, repository order by place), 0
        ), 1
    ) as percent_of_before,
    judged.judged,
    judged.confirmed
from steps
left join judged using (dataset, repository, place)
order by dataset, repository, place;
