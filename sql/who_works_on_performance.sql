-- Question: who works on performance?
-- How to read: one line a person, by the author of each change, or of the merge where a pull request
-- was merged with its commits. fixes are with and without a report; work_percentage is the share of
-- performance work among the person's changes.
-- Group: people
-- Words: optimisation, contributor, author, expert

with

parameters as (
    select
        coalesce(getvariable('rows'), 20) as rows, -- count: how many persons
        coalesce(getvariable('repository'), '%') as repository -- repositories of meta.repositories: of this repository (% stands for any text)
)

select
    repository,
    identities.person,
    count(*) filter (where changes.work = 'optimisation') as optimisations,
    count(*) filter (where starts_with(changes.work, 'fix')) as fixes,
    count(*) filter (where changes.work = 'guard') as guards,
    count(*) as changes,
    round(100 * (optimisations + fixes) / count(*), 1) as work_percentage,
    max(commits.committed_at) filter (where changes.work <> 'none') as last_work_at
from intermediate.performance_changes as changes
inner join raw.commits as commits using (repository, sha)
inner join staging.identities as identities using (repository, author_email)
where repository like (select parameters.repository from parameters)
group by repository, identities.person
having optimisations + fixes + guards > 0
order by optimisations + fixes desc, guards desc, repository, identities.person
limit (select parameters.rows from parameters);
