-- Machines and benchmarks without results for longer than usual, on the time axis of the commits: a machine
-- while the project went on committing, a benchmark while its machine went on measuring. Usual are twice
-- the days that 19 of 20 gaps between measured commits lasted, and seven days at least. Benchmarks of one
-- machine that fell silent at one commit are one row.

with

positions as (
    select * from intermediate.commit_positions
),

newest as (
    select
        repository,
        max(committed_at) as newest_at
    from positions
    group by repository
),

measured as (
    select distinct
        repository,
        results.machine,
        results.benchmark,
        positions.committed_at
    from raw.benchmark_results as results
    inner join positions using (repository, sha)
),

machines as (
    select distinct
        repository,
        machine,
        '' as benchmark,
        committed_at
    from measured
),

-- A machine is held against the commits of the project, a benchmark against its machine.
followed as (
    select
        repository,
        machines.machine,
        machines.benchmark,
        machines.committed_at,
        newest.newest_at
    from machines
    inner join newest using (repository)
    union all
    select
        repository,
        machine,
        benchmark,
        committed_at,
        max(committed_at) over (partition by repository, machine) as newest_at
    from measured
),

gaps as (
    select
        *,
        (
            epoch_us(committed_at)
            - epoch_us(
                lag(committed_at) over (
                    partition by repository, machine, benchmark
                    order by committed_at
                )
            )
        ) / 86400000000 as gap_days
    from followed
),

ranked as (
    select
        *,
        row_number() over (
            partition by repository, machine, benchmark
            order by gap_days
        ) as place,
        count(gap_days) over (partition by repository, machine, benchmark) as number_of_gaps
    from gaps
    where gap_days is not null
),

habits as (
    select
        repository,
        machine,
        benchmark,
        number_of_gaps,
        max(committed_at) as committed_at,
        (epoch_us(max(newest_at)) - epoch_us(max(committed_at))) / 86400000000 as silent_days,
        greatest(
            2 * max(case when place * 20 <= number_of_gaps * 19 then gap_days end), 7
        ) as usual_days
    from ranked
    group by repository, machine, benchmark, number_of_gaps
),

silent as (
    select
        *,
        benchmark = '' as is_machine
    from habits
    where silent_days > usual_days and number_of_gaps >= 10
),

last_commits as (
    select
        repository,
        committed_at,
        min(sha) as last_sha
    from positions
    group by repository, committed_at
),

silences as (
    select
        repository,
        silent.machine,
        silent.is_machine,
        last_commits.last_sha,
        committed_at,
        strftime(committed_at at time zone 'UTC', '%Y-%m') as month,
        max(silent.silent_days) as silent_days,
        max(silent.usual_days) as usual_days,
        bool_or(committed_at >= newest.newest_at - interval 12 month) as is_recent,
        count(*) filter (where not silent.is_machine) as silent_benchmarks,
        min(nullif(silent.benchmark, '')) as first_benchmark
    from silent
    inner join last_commits using (repository, committed_at)
    inner join newest using (repository)
    group by repository, silent.machine, silent.is_machine, last_commits.last_sha, committed_at
)

select * from silences
