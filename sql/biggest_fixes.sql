-- Question: which fixes of performance bugs changed most lines, and in which commits?
-- How to read: the 20 largest, with the web addresses of their commits, largest commit first. A
-- huge commit (a merge, vendored code) is often about more than this bug: look before you count it.

select
    fixes.repository,
    fixes.number,
    sum(fixes.additions)::bigint as additions,
    sum(fixes.deletions)::bigint as deletions,
    sum(fixes.size)::bigint as fix_size,
    list(
        'https://github.com/' || fixes.repository || '/commit/' || fixes.sha
        order by fixes.size desc, fixes.sha
    ) as commits
from staging.counted_fixes as fixes
inner join marts.bug_metrics as metrics using (dataset, repository, number)
where metrics.dataset = 'live' and metrics.is_fixed and metrics.is_performance
group by fixes.repository, fixes.number
order by fix_size desc, fixes.repository, fixes.number
limit 20;
