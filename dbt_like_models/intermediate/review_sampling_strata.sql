-- How many bug reports a sample for review can be drawn from, performance bugs apart from the
-- others.

select
    dataset,
    repository,
    is_performance,
    count(number) as bug_reports
from staging.bug_reports
group by dataset, repository, is_performance
