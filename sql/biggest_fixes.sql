-- Question: which fixes of performance bugs changed most lines, and in which commits?
-- How to read: the 20 largest, with the web addresses of their commits, largest commit first. A
-- huge commit (a merge, vendored code) is often about more than this bug: look before you count it.

select
    repository,
    number,
    cast(sum(fixes.additions) as bigint) as additions,
    cast(sum(fixes.deletions) as bigint) as deletions,
    cast(sum(fixes.size) as bigint) as fix_size,
    list(
        'https://github.com/' || repository || '/commit/' || fixes.sha
        order by fixes.size desc, fixes.sha
    ) as commits
from intermediate.counted_fixes as fixes
inner join marts.bug_metrics as metrics using (dataset, repository, number)
where dataset = 'live' and metrics.is_fixed and metrics.is_performance
group by repository, number
order by fix_size desc, repository, number
limit 20;
