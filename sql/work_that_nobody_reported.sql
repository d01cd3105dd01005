-- Question: which performance work answers no report?
-- How to read: one line a change, the newest first, with what says that it is performance work, and
-- the release that shipped it. A fix without a report mends what nobody reported, or a report that is
-- not linked to it.
-- Group: fixes
-- Words: optimisation, silent, unreported, commits

with

parameters as (
    select
        coalesce(getvariable('rows'), 20) as rows, -- count: how many changes
        coalesce(getvariable('repository'), '%') as repository -- repositories of meta.repositories: of this repository (% stands for any text)
)

select
    repository,
    sha,
    commits.committed_at,
    changes.pull_request,
    changes.work,
    changes.strength,
    regexp_extract(commits.message, '[^\n]*') as subject,
    labels.signs,
    releases.first_release
from intermediate.performance_changes as changes
inner join labels.performance_commits as labels using (repository, sha)
inner join raw.commits as commits using (repository, sha)
left join details.commit_releases as releases
    on changes.repository = releases.repository
    and sha = releases.sha
    and sha = releases.fix_sha
where
    changes.work in ('fix_without_report', 'optimisation')
    and repository like (select parameters.repository from parameters)
order by commits.committed_at desc, repository, sha
limit (select parameters.rows from parameters);
