-- Question: which regressions did the benchmarks measure?
-- How to read: the newest first. One of the commits from first_sha to last_sha brought it; the more
-- benchmarks and machines show it, the surer it is. A ratio of 2 is twice the time or memory; of
-- operations a second a ratio below 1 is worse.
-- Group: benchmarks
-- Words: slowdown, slower, step, asv, benchmark, performance regression

with

parameters as (
    select
        coalesce(getvariable('rows'), 20) as rows -- count: how many regressions
)

select
    repository,
    month,
    first_sha,
    last_sha,
    candidate_commits,
    changed_benchmarks,
    machines,
    median_ratio,
    largest_benchmark,
    largest_ratio
from marts.regressions, parameters
where is_regression
qualify
    row_number() over (order by committed_at desc, repository, regression_id) <= parameters.rows
order by committed_at desc, repository, regression_id;
