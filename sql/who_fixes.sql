-- Question: who fixes performance bugs?
-- How to read: one line an author of fix commits, by the name in git: how many bugs the commits of that
-- name fix, and how many of these are performance bugs. The same person may have several names.

with

parameters as (
    select
        coalesce(getvariable('rows'), 20) as rows, -- how many authors
        coalesce(getvariable('repository'), '%') as repository -- of this repository (% stands for any text)
)

select
    repository,
    commits.author_name,
    count(distinct number) filter (where bugs.is_performance) as performance_bugs,
    count(distinct number) as bugs,
    round(100 * performance_bugs / nullif(count(distinct number), 0), 1) as performance_percentage,
    count(distinct sha) as commits
from intermediate.counted_fixes as fixes
inner join raw.commits as commits using (repository, sha)
inner join marts.bug_metrics as bugs using (dataset, repository, number)
where
    dataset = 'live'
    and commits.author_name is not null
    and repository like (select parameters.repository from parameters)
group by repository, commits.author_name
order by performance_bugs desc, bugs desc, repository, commits.author_name
limit (select parameters.rows from parameters);
