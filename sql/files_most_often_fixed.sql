-- Question: which files are changed most often by fixes of performance bugs?
-- How to read: one line a file, with how many performance bugs and other bugs had a fix that touched
-- it. performance_percentage far above that of other files marks a place where time is lost. A large
-- commit touches many files that have nothing to do with the bug.
-- Group: areas
-- Words: hot spot, path

with

parameters as (
    select
        coalesce(getvariable('rows'), 20) as rows, -- count: how many files
        coalesce(getvariable('repository'), '%') as repository -- repositories of meta.repositories: of this repository (% stands for any text)
)

select
    repository,
    files.path,
    count(distinct number) filter (where bugs.is_performance) as performance_bugs,
    count(distinct number) as bugs,
    round(100 * performance_bugs / nullif(count(distinct number), 0), 1) as performance_percentage
from intermediate.counted_fixes as fixes
inner join raw.commit_files as files using (repository, sha)
inner join marts.bug_metrics as bugs using (dataset, repository, number)
where dataset = 'live' and repository like (select parameters.repository from parameters)
group by repository, files.path
having performance_bugs > 0
order by performance_bugs desc, bugs desc, repository, files.path
limit (select parameters.rows from parameters);
