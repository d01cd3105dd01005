select
    regression_id, repository, month, first_sha, last_sha, candidate_commits,
    changed_benchmarks, machines, median_ratio, largest_benchmark, reported_in,
    days_to_report, days_to_recovery, regression_state
from marts.regression_lifetimes
order by month desc, repository, regression_id
