-- Question: who reports performance bugs?
-- How to read: one line a reporter: how many performance bugs of theirs there are, how many are fixed,
-- and how many bugs they reported in all. Deleted accounts and bots are left out.

with

parameters as (
    select
        coalesce(getvariable('rows'), 20) as rows -- how many reporters
)

select
    repository,
    bugs.author,
    count(*) filter (where bugs.is_performance) as performance_bugs,
    count(*) filter (where bugs.is_performance and metrics.is_fixed) as fixed_performance_bugs,
    count(*) as bug_reports
from staging.bug_reports as bugs
inner join marts.bug_metrics as metrics using (dataset, repository, number)
inner join staging.accounts as accounts
    on bugs.author = accounts.login and accounts.repository = bugs.repository
where dataset = 'live' and not accounts.is_bot
group by repository, bugs.author
having performance_bugs > 0
order by performance_bugs desc, bug_reports desc, repository, bugs.author
limit (select parameters.rows from parameters);
