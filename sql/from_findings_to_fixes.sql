-- Question: how many findings of the static checks were reported to their projects, and how many of these
-- did people confirm and fix?
-- How to read: one line a repository and rule, below them all together. confirmed counts those that are
-- fixed too, reported all of which something became; gone are those that the newest tree has no more,
-- reported or not. The study's checker found 488 problems, of which 105 were confirmed and 27 fixed.
-- Group: static checks
-- Words: lint, linter, confirmed

with

counted as (
    select
        repository,
        rule,
        count(*) as found,
        count(*) filter (where is_gone) as gone,
        count(state) as reported,
        count(*) filter (where state in ('confirmed', 'fixed')) as confirmed,
        count(*) filter (where state = 'fixed') as fixed,
        count(*) filter (where state = 'rejected') as rejected
    from marts.finding_states
    group by grouping sets ((repository, rule), ())
    having count(*) > 0
)

select
    coalesce(repository, 'all') as repository,
    coalesce(rule, 'all') as rule,
    found,
    gone,
    reported,
    confirmed,
    fixed,
    rejected
from counted
order by counted.repository is null, counted.repository, found desc, counted.rule;
