-- Question: which commits changed the most benchmarks, for the worse or the better?
-- How to read: one of the commits from first_sha to last_sha did, the first row the most. The median ratio is
-- that of all series that changed.
-- Group: benchmarks
-- Words: speedup, faster, slower, optimisation, regression, benchmark

with

parameters as (
    select
        coalesce(getvariable('rows'), 20) as rows -- count: how many changes
)

select
    repository,
    month,
    is_regression,
    first_sha,
    last_sha,
    candidate_commits,
    changed_benchmarks,
    changed_series,
    machines,
    median_ratio
from marts.regressions, parameters
qualify
    row_number() over (
        order by changed_benchmarks desc, changed_series desc, committed_at, repository, regression_id
    ) <= parameters.rows
order by changed_benchmarks desc, changed_series desc, committed_at, repository, regression_id;
