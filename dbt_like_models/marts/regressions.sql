-- Changes of benchmarks that the same commits can have brought, as one change: those for the worse, and
-- those for the better (is_regression is false). The commits from first_sha to last_sha, in the order of
-- their times, are the candidates.

with

sized as (
    select
        *,
        case when ratio > 1 then ratio else 1 / nullif(ratio, 0) end as factor
    from marts.benchmark_changes
),

changes as (
    select
        *,
        row_number() over (
            partition by repository, regression_id
            order by
                factor desc,
                benchmark desc,
                benchmark_parameters desc,
                machine,
                environment,
                unit,
                benchmark_version,
                sha
        ) as place
    from sized
),

positions as (
    select * from intermediate.commit_positions
),

groups as (
    select
        repository,
        regression_id,
        is_regression,
        max(first_position) as first_position,
        min(last_position) as last_position,
        count(distinct benchmark) as changed_benchmarks,
        count(ratio) as changed_series,
        count(distinct machine) as machines,
        median(ratio) as median_ratio,
        max(case when place = 1 then ratio end) as largest_ratio,
        max(case when place = 1 then benchmark end) as largest_benchmark,
        max(case when place = 1 then benchmark_parameters end) as largest_parameters,
        max(case when place = 1 then machine end) as largest_machine
    from changes
    group by repository, regression_id, is_regression
),

regressions as (
    select
        groups.repository,
        regression_id,
        is_regression,
        first_commits.sha as first_sha,
        last_commits.sha as last_sha,
        last_commits.committed_at,
        strftime(last_commits.committed_at at time zone 'UTC', '%Y-%m') as month,
        first_position,
        last_position,
        last_position - first_position + 1 as candidate_commits,
        changed_benchmarks,
        changed_series,
        machines,
        median_ratio,
        largest_ratio,
        largest_benchmark,
        largest_parameters,
        largest_machine
    from groups
    inner join positions as first_commits
        on
            groups.repository = first_commits.repository
            and first_position = first_commits.commit_position
    inner join positions as last_commits
        on
            groups.repository = last_commits.repository
            and last_position = last_commits.commit_position
)

select * from regressions
