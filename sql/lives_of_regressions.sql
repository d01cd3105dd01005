-- Question: how many measured regressions are reported and repaired, and how long does it take?
-- How to read: a row for each repository. Of the regressions that are not intended, how many an issue tells
-- of, and how many came back to within 5 % of the level before; days are medians from the commit on. The last
-- column is the share of performance bugs in areas that a benchmark measures.
-- Group: benchmarks
-- Words: lifetime, reported, unreported, recovery, regression, coverage

with

regressions as (
    select
        repository,
        count(*) as regressions,
        count(reported_in) as reported,
        median(days_to_report) as days_to_report,
        count(recovered_at) as recovered,
        median(days_to_recovery) as days_to_recovery
    from marts.regression_lifetimes
    where regression_state <> 'intended'
    group by repository
),

measured as (
    select distinct
        repository,
        area
    from marts.benchmark_areas
),

bugs as (
    select
        repository,
        100 * sum(share) filter (where measured.area is not null) / sum(share) as percent
    from marts.bug_areas
    left join measured using (repository, area)
    where is_performance
    group by repository
)

select
    repository,
    regressions,
    reported,
    round(100 - 100 * reported / regressions, 1) as unreported_percent,
    days_to_report,
    recovered,
    days_to_recovery,
    round(coalesce(bugs.percent, 0), 1) as bugs_in_measured_areas_percent
from regressions
left join bugs using (repository)
order by repository;
