-- Question: how long were bugs in the code before somebody reported them, by year of the report?
-- How to read: median days from the latest commit that last touched what the fix takes away (SZZ)
-- to the report, and over how many of the bugs with a fix; the others' fixes only add lines, or
-- could not be traced. Fixes that nobody looked at are not counted in the coverage. A rough
-- measure, as that commit is the right one for two fixes of three: read it where coverage and
-- numbers are large.
-- Group: fixes
-- Words: SZZ, lifetime, regression, introduced

select
    repository,
    year(opened_at at time zone 'UTC') as year,
    case when is_performance then 'performance' else 'other' end as bugs,
    count(number) as fixes,
    count(traced_commits) as fixes_looked_at,
    case when fixes_looked_at > 0 then count(lifetime_days) end as with_candidate,
    round(100 * with_candidate / fixes_looked_at, 1) as coverage_percentage,
    round(median(lifetime_days), 1) as median_lifetime_days
from marts.bug_lifetimes
group by repository, year, bugs
order by repository, year, bugs;
