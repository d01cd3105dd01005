-- Question: which fixes of performance bugs changed most lines, and in which commits?
-- How to read: the largest, with the web addresses of their commits, largest commit first. A
-- huge commit (a merge, vendored code) is often about more than this bug: look before you count it.
-- Group: fixes
-- Words: large, churn, size

with

parameters as (
    select
        coalesce(getvariable('rows'), 20) as rows, -- count: how many fixes
        coalesce(getvariable('repository'), '%') as repository -- repositories of meta.repositories: of this repository (% stands for any text)
)

select
    repository,
    number,
    cast(sum(fixes.additions) as bigint) as additions,
    cast(sum(fixes.deletions) as bigint) as deletions,
    cast(sum(fixes.size) as bigint) as fix_size,
    list(
        coalesce(repositories.commit_url, '') || fixes.sha
        order by fixes.size desc, fixes.sha
    ) as commits
from intermediate.counted_fixes as fixes
inner join marts.bug_metrics as metrics using (dataset, repository, number)
left join meta.repositories as repositories using (repository)
where dataset = 'live' and metrics.is_performance
    and metrics.is_fixed and metrics.fix_size is not null
    and repository like (select parameters.repository from parameters)
group by repository, number
order by fix_size desc, repository, number
limit (select parameters.rows from parameters);
