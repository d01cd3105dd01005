-- Question: how many bugs were closed as completed, not planned, duplicate or stale?
-- How to read: one line a reason of GitHub and kind of bug report; unknown where GitHub gives none, as
-- before 2022. with_fix are those with a linked fix. GitHub has no reason for stale ones: stale_label
-- and duplicate_label count those whose labels say so.
-- Group: fixes
-- Words: wontfix, rejected, reason

with

closed_bugs as (
    select
        repository,
        number,
        case when metrics.is_performance then 'performance' else 'other' end as kind,
        coalesce(reports.state_reason, 'unknown') as closed_as,
        metrics.is_fixed,
        epoch(metrics.closed_at) - epoch(metrics.opened_at) as seconds_open,
        array_to_string(metrics.labels, ' ') ilike '%stale%' as is_stale,
        array_to_string(metrics.labels, ' ') ilike '%duplicate%' as is_duplicate
    from marts.bug_metrics as metrics
    inner join staging.bug_reports as reports using (dataset, repository, number)
    where dataset = 'live' and metrics.state = 'closed'
)

select
    repository,
    kind,
    closed_as,
    count(*) as closed_bugs,
    round(100 * count(*) / sum(count(*)) over (partition by repository, kind), 1) as percentage,
    count(*) filter (where is_fixed) as with_fix,
    count(*) filter (where is_stale) as stale_label,
    count(*) filter (where is_duplicate) as duplicate_label,
    round(median(seconds_open) / 86400, 1) as median_days_open
from closed_bugs
group by repository, kind, closed_as
order by repository, kind desc, closed_bugs desc, closed_as;
