-- The results of each series of benchmarks that are on the default branch, by the place of their commit.
-- Of several results of a series on one commit the newest counts.

with

numbered as (
    select
        *,
        dense_rank() over (
            order by
                repository,
                benchmark,
                benchmark_parameters,
                machine,
                environment,
                unit,
                benchmark_version
        ) as series_number
    from raw.benchmark_results
),

ranked as (
    select
        *,
        row_number() over (partition by series_number, sha order by measured_at desc)
            as rank_of_result
    from numbered
),

positions as (
    select * from intermediate.commit_positions
)

select
    repository,
    series_number,
    benchmark,
    benchmark_parameters,
    machine,
    environment,
    unit,
    benchmark_version,
    is_higher_better,
    commit_position,
    measured_value
from ranked
inner join positions using (repository, sha)
where rank_of_result = 1
