-- Question: who reports performance bugs?
-- How to read: one line a reporter: how many performance bugs of theirs there are, how many are fixed,
-- and how many bugs they reported in all. Deleted accounts and bots are left out.
-- Group: people
-- Words: author, reporter, user

with

parameters as (
    select
        coalesce(getvariable('rows'), 20) as rows -- count: how many reporters
)

select
    metrics.repository,
    metrics.author,
    count(*) filter (where metrics.is_performance) as performance_bugs,
    count(*) filter (where metrics.is_performance and metrics.is_fixed) as fixed_performance_bugs,
    count(*) as bug_reports
from marts.bug_metrics as metrics
inner join staging.accounts as accounts
    on metrics.author = accounts.login and accounts.repository = metrics.repository
where metrics.dataset = 'live' and not accounts.is_bot
group by metrics.repository, metrics.author
having performance_bugs > 0
order by performance_bugs desc, bug_reports desc, metrics.repository, metrics.author
limit (select parameters.rows from parameters);
