-- Question: how did the slowest benchmarks change over the years?
-- How to read: a row for each benchmark and year, the slowest of its machine first; the value is the median of
-- the year in the unit of the row, and the ratio compares it with the first year.
-- Group: benchmarks
-- Words: slowest, history, years, trend of a benchmark

with

parameters as (
    select
        coalesce(getvariable('rows'), 5) as rows -- count: how many benchmarks of each machine
),

years as (
    select
        repository,
        machine,
        environment,
        benchmark,
        benchmark_parameters,
        benchmark_version,
        unit,
        left(month, 4) as year,
        median(measured_value) as median_value,
        count(*) as results
    from raw.benchmark_results
    where not is_higher_better
    group by all
),

slowest as (
    select
        *,
        max(median_value) over (
            partition by repository, machine, environment, benchmark, benchmark_parameters, unit
        ) as largest_value,
        median_value / first_value(median_value) over (
            partition by
                repository,
                machine,
                environment,
                benchmark,
                benchmark_parameters,
                benchmark_version,
                unit
            order by year
        ) as ratio_to_first_year
    from years
),

ranked as (
    select
        *,
        dense_rank() over (
            partition by repository, machine, unit
            order by largest_value desc, environment, benchmark, benchmark_parameters
        ) as place
    from slowest
)

select
    repository,
    machine,
    environment,
    benchmark,
    benchmark_parameters,
    year,
    unit,
    median_value,
    ratio_to_first_year,
    results
from ranked, parameters
where place <= parameters.rows
order by
    repository,
    machine,
    unit,
    place,
    year,
    benchmark_version;
