-- Of each repository the regression that most benchmarks show, one that is reported first: results
-- of its strongest series by month, as factors of the level before.
with chosen as (
    from marts.regression_lifetimes
    where regression_state <> 'intended'
    qualify row_number() over (
        partition by repository
        order by reported_in is null, changed_benchmarks desc, month desc, regression_id
    ) = 1
),

strongest as (
    select changes.*, changes.committed_at as changed_at
    from marts.benchmark_changes as changes
    inner join chosen using (repository, regression_id)
    where
        changes.benchmark = chosen.largest_benchmark
        and changes.benchmark_parameters = chosen.largest_parameters
    qualify row_number() over (
        partition by repository order by changes.ratio desc, changes.machine, changes.environment
    ) = 1
),

by_month as (
    select
        repository, strongest.benchmark, strongest.machine, results.month,
        median(results.measured_value / strongest.value_before) as value,
        count(*) || ' results' as counts
    from strongest
    inner join raw.benchmark_results as results
        using (
            repository, benchmark, benchmark_parameters, machine, environment, unit,
            benchmark_version
        )
    where results.month between
        strftime(changed_at - interval 18 month, '%Y-%m')
        and strftime(changed_at + interval 18 month, '%Y-%m')
    group by all
),

events as (
    select repository, month, 'slower from here on' as what from chosen
    union all
    select
        repository, strftime(reported_at at time zone 'UTC', '%Y-%m'),
        'reported in #' || reported_in
    from chosen
    where reported_at is not null
    union all
    select repository, strftime(recovered_at at time zone 'UTC', '%Y-%m'), 'back'
    from chosen
    where recovered_at is not null
)

select
    repository, benchmark || ' on ' || machine as series, month, 'measured' as color, value, counts
from by_month
union all by name
select
    repository, any_value(by_month.benchmark || ' on ' || by_month.machine) as series,
    events.month, 'event' as color, string_agg(distinct what, '; ') as counts
from events
inner join by_month using (repository)
group by repository, events.month
order by repository, month, color
