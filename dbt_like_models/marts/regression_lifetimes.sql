-- The life of each measured regression: when the commits that may have brought it were committed, when it
-- was measured, when somebody reported it, and when the benchmarks were back. The first report that
-- counts is told; of the fixes of performance bugs the first one among the commits that may have
-- brought the benchmarks back.

with

regressions as (
    select * from marts.regressions where is_regression
),

states as (
    select * from marts.regression_states
),

recoveries as (
    select * from marts.regression_recoveries
),

measured as (
    select
        repository,
        changes.regression_id,
        min(results.measured_at) as measured_at
    from marts.benchmark_changes as changes
    inner join raw.benchmark_results as results
        using (
            repository,
            benchmark,
            benchmark_parameters,
            machine,
            environment,
            unit,
            benchmark_version,
            sha
        )
    group by repository, changes.regression_id
),

reports as (
    select
        repository,
        regression_id,
        min(told_at) as reported_at,
        min_by(number, (told_at, number)) as reported_in,
        count(number) as telling_issues
    from marts.regression_reports
    where is_reported
    group by repository, regression_id
),

guesses as (
    select
        repository,
        regression_id,
        count(number) as possible_issues
    from marts.regression_reports
    where not is_reported
    group by repository, regression_id
),

bug_fixes as (
    select
        repository,
        number,
        sha,
        positions.commit_position
    from intermediate.counted_fixes as fixes
    inner join staging.bug_reports as bug_reports using (dataset, repository, number)
    inner join intermediate.commit_positions as positions using (repository, sha)
    where dataset = 'live' and bug_reports.is_performance
),

better as (
    select
        repository,
        regression_id as recovery_id,
        first_position,
        last_position
    from marts.regressions
    where not is_regression
),

fixes as (
    select
        repository,
        recoveries.regression_id,
        min_by(bug_fixes.sha, (bug_fixes.commit_position, bug_fixes.number)) as fix_sha,
        min_by(bug_fixes.number, (bug_fixes.commit_position, bug_fixes.number)) as fixed_number
    from recoveries
    inner join better using (repository, recovery_id)
    inner join bug_fixes using (repository)
    where
        bug_fixes.commit_position >= better.first_position
        and bug_fixes.commit_position <= better.last_position
    group by repository, recoveries.regression_id
),

lifetimes as (
    select
        repository,
        regression_id,
        regressions.month,
        states.regression_state,
        states.state_by,
        states.state_note,
        regressions.first_sha,
        regressions.last_sha,
        regressions.candidate_commits,
        regressions.changed_benchmarks,
        regressions.machines,
        regressions.median_ratio,
        regressions.largest_ratio,
        regressions.largest_benchmark,
        regressions.largest_parameters,
        regressions.committed_at,
        measured.measured_at,
        reports.reported_in,
        reports.reported_at,
        coalesce(reports.telling_issues, 0) as telling_issues,
        coalesce(guesses.possible_issues, 0) as possible_issues,
        recoveries.recovery_id,
        recoveries.recovered_at,
        fixes.fix_sha,
        fixes.fixed_number,
        (epoch_us(measured.measured_at) - epoch_us(regressions.committed_at)) / 86400000000
            as days_to_measurement,
        (epoch_us(reports.reported_at) - epoch_us(regressions.committed_at)) / 86400000000
            as days_to_report,
        (epoch_us(recoveries.recovered_at) - epoch_us(regressions.committed_at)) / 86400000000
            as days_to_recovery
    from regressions
    inner join measured using (repository, regression_id)
    inner join states using (repository, regression_id)
    inner join recoveries using (repository, regression_id)
    left join reports using (repository, regression_id)
    left join guesses using (repository, regression_id)
    left join fixes using (repository, regression_id)
)

select * from lifetimes
