-- Question: which measured regressions did nobody report?
-- How to read: those that most benchmarks show come first. A report names a benchmark, a candidate commit or
-- its pull request, or its fix takes away lines of a candidate. Possible issues are of the same area and time.
-- Group: benchmarks
-- Words: unreported, silent slowdown, blind spot, benchmark

with

parameters as (
    select
        coalesce(getvariable('rows'), 20) as rows -- count: how many regressions
)

select
    repository,
    month,
    regression_id,
    candidate_commits,
    changed_benchmarks,
    machines,
    median_ratio,
    largest_benchmark,
    possible_issues,
    days_to_recovery
from marts.regression_lifetimes, parameters
where reported_in is null and regression_state <> 'intended'
qualify
    row_number() over (
        order by changed_benchmarks desc, committed_at desc, repository, regression_id
    ) <= parameters.rows
order by changed_benchmarks desc, committed_at desc, repository, regression_id;
