-- Question: what did the bug reports look like at the end of a past month?
-- How to read: one line a repository, with its bug reports as they were then: the labels they
-- carried, whether they were closed, and whether a fix had been committed. They are the counts of
-- that month in marts.trend_monthly.
-- Group: trend
-- Words: history, past

with

parameters as (
    select
        coalesce(getvariable('month'), '2020-02') as month -- month of live staging.loaded_months: the month, as YYYY-MM
)

select
    repository,
    count_if(state = 'open') as open_total,
    count_if(state = 'open' and is_performance) as open_performance,
    count_if(is_fixed) as fixed_total,
    count_if(is_fixed and is_performance) as fixed_performance
from staging.bug_reports_as_of((select parameters.month from parameters))
where dataset = 'live'
group by repository
order by repository;
