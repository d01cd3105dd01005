-- Question: how often does a fix come with a change of tests?
-- How to read: of the fixes that were looked at closely, those that change at least one line of a test,
-- and the median share of test lines among these.
-- Group: fixes
-- Words: coverage

select
    repository,
    case when is_performance then 'performance' else 'other' end as kind,
    count(fix_test_share) as fixes_looked_at,
    count(*) filter (where fix_test_share > 0) as with_tests,
    round(
        100 * count(*) filter (where fix_test_share > 0) / nullif(count(fix_test_share), 0), 1
    ) as with_tests_percentage,
    round(median(fix_test_share) filter (where fix_test_share > 0), 2) as median_test_share
from marts.bug_metrics
where dataset = 'live' and fix_commits > 0
group by repository, is_performance
order by repository, kind;
