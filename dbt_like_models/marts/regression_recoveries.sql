-- When the benchmarks of a regression were back: the commit at which half of its series had stepped to
-- within 5 % of the level that they had before it, and the change of benchmarks that this step is of.
-- Every regression is told.

with

changes as (
    select * from marts.benchmark_changes
),

worse as (
    select
        *,
        row_number() over (
            order by
                repository,
                benchmark,
                benchmark_parameters,
                machine,
                environment,
                unit,
                benchmark_version,
                sha
        ) as step_number
    from changes
    where is_regression
),

better as (
    select
        repository,
        benchmark,
        benchmark_parameters,
        machine,
        environment,
        unit,
        benchmark_version,
        regression_id as recovery_id,
        last_position as back_position,
        value_after as value_back
    from changes
    where not is_regression
),

paired as (
    select
        repository,
        worse.regression_id,
        worse.step_number,
        better.back_position,
        better.recovery_id,
        worse.last_position < better.back_position
            and case
                when worse.ratio > 1 then better.value_back * 100 <= worse.value_before * 105
                else better.value_back * 105 >= worse.value_before * 100
            end as is_back
    from worse
    left join better
        using (
            repository, benchmark, benchmark_parameters, machine, environment, unit, benchmark_version
        )
),

back as (
    select
        repository,
        regression_id,
        step_number,
        min(case when is_back then back_position end) as back_position,
        min_by(recovery_id, case when is_back then back_position end) as recovery_id
    from paired
    group by repository, regression_id, step_number
),

ordered as (
    select
        *,
        row_number() over (
            partition by repository, regression_id
            order by coalesce(back_position, 9223372036854775807), step_number
        ) as place,
        count(*) over (partition by repository, regression_id) as series_of_regression
    from back
),

half as (
    select * from ordered where place = ceil(series_of_regression / 2)
),

positions as (
    select
        repository,
        commit_position as back_position,
        committed_at as recovered_at
    from intermediate.commit_positions
),

regressions as (
    select * from marts.regressions where is_regression
),

recoveries as (
    select
        repository,
        regression_id,
        regressions.first_position,
        regressions.last_position,
        regressions.committed_at,
        half.recovery_id,
        positions.recovered_at
    from regressions
    inner join half using (repository, regression_id)
    left join positions using (repository, back_position)
)

select * from recoveries
