-- Question: how long do fixes wait for a release?
-- How to read: a row for each repository, performance bugs and other bugs. Days are from the last commit of the
-- fix to the first final release with it or with a copy of it; backported counts the fixes that a release had as
-- a copy first. Fixes without a release are in waiting, and in no median.
-- Group: fixes
-- Words: release, version, time to release, lead time, cherry-pick, backport

select
    repository,
    is_performance,
    count(*) as fixed_bugs,
    count(first_fixed_release) as released,
    count(*) filter (where outcome = 'not_released') as waiting,
    count(fix_copied_as) as backported,
    round(median(days_to_release), 1) as median_days,
    round(median(exposed_releases), 1) as median_exposed_releases
from marts.bug_releases
where outcome not in ('no_releases', 'not_looked_at')
group by repository, is_performance
order by repository, is_performance desc;
