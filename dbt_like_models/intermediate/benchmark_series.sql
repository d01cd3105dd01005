-- The series of benchmarks that have results on the default branch.

select
    series_number,
    min(repository) as repository,
    min(benchmark) as benchmark,
    min(benchmark_parameters) as benchmark_parameters,
    min(machine) as machine,
    min(environment) as environment,
    min(unit) as unit,
    min(benchmark_version) as benchmark_version,
    max_by(is_higher_better, commit_position) as is_higher_better
from intermediate.benchmark_points
group by series_number
