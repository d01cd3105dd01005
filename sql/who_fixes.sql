-- Question: who fixes performance bugs, and what are they to the project?
-- How to read: one line a person, a login in small letters or the address of their commits where no
-- account is known; performance_fixes and fixes are bug reports, each parted by commits where several
-- persons fixed it. Bots are left out; analysis.fixing_concentration says how few do how much.
-- Group: people
-- Words: member, maintainer, assign, assigned, contributor

with

parameters as (
    select
        coalesce(getvariable('rows'), 20) as rows, -- count: how many persons
        coalesce(getvariable('repository'), '%') as repository -- repositories of meta.repositories: of this repository (% stands for any text)
)

select
    repository,
    person,
    bool_or(is_member) as is_member,
    round(coalesce(sum(fixing_share) filter (where is_performance), 0), 1) as performance_fixes,
    round(sum(fixing_share), 1) as fixes,
    count(*) filter (where is_first_contribution) as first_contributions
from marts.bug_fixers
where
    is_fixed
    and not is_bot
    and repository like (select parameters.repository from parameters)
group by repository, person
order by performance_fixes desc, fixes desc, repository, person
limit (select parameters.rows from parameters);
