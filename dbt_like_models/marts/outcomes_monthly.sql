-- What became of the bug reports opened in each month, as of now.

select
    dataset,
    repository,
    month,
    is_performance,
    outcome,
    count(number) as bug_reports,
    count(case when is_rejected then number end) as rejected_reports
from marts.bug_metrics
where outcome is not null
group by dataset, repository, month, is_performance, outcome
