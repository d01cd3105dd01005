select repository, printf(
    'of %d performance bugs %d are fixed, %d open, %d closed as duplicates, and %d (%.0f %%) '
    || 'rejected; of %d others %d are rejected (%.0f %%)',
    performance, fixed, still_open, duplicates, rejected, 100.0 * rejected / performance,
    others, others_rejected, 100.0 * others_rejected / others
)
from (
    select
        repository,
        sum(bug_reports) filter (where is_performance) as performance,
        coalesce(sum(bug_reports) filter (where is_performance and outcome = 'fixed'), 0) as fixed,
        coalesce(sum(bug_reports) filter (where is_performance and outcome = 'open'), 0)
            as still_open,
        coalesce(sum(bug_reports) filter (where is_performance and outcome = 'duplicate'), 0)
            as duplicates,
        coalesce(sum(rejected_reports) filter (where is_performance), 0) as rejected,
        sum(bug_reports) filter (where not is_performance) as others,
        coalesce(sum(rejected_reports) filter (where not is_performance), 0) as others_rejected
    from (select *, kind = 'performance bugs' as is_performance from figure_rows)
    group by repository
)
where performance > 0 and others > 0
order by repository
