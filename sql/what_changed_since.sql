-- Question: what changed since the last run, or since a moment of your choice?
-- How to read: one line a repository: the issues whose stored values are new since then, and what they
-- are now. By default everything that the newest load of the database brought, within an hour of it.
-- Group: data quality
-- Words: new, updated, recent

with

parameters as (
    select
        coalesce(getvariable('since'), (select max(loaded_at) - interval 1 hour from meta.partition_loads)) as since -- moment: the moment, as YYYY-MM-DD HH:MM:SS+00
)

select
    repository,
    count(*) as changed_issues,
    count(*) filter (where issues.created_at >= parameters.since) as opened,
    count(*) filter (where issues.closed_at >= parameters.since) as closed,
    count(*) filter (where decisions.is_performance) as performance_bugs,
    count(*) filter (where metrics.is_fixed) as fixed,
    max(issues.updated_at) at time zone 'UTC' as newest_update_utc
from raw.issues as issues
cross join parameters
left join labels.performance_labels as decisions using (repository, number)
left join marts.bug_metrics as metrics
    on issues.repository = metrics.repository
    and issues.number = metrics.number
    and metrics.dataset = 'live'
where issues.loaded_at >= parameters.since
group by repository
order by repository;
