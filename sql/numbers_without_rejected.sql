-- Question: how large are the headline numbers without rejected and repeated reports?
-- How to read: one line for each way to count. all has every bug report; not_rejected leaves out those that
-- people closed as no bug or as not planned; duplicates_folded counts each group of duplicates once, as its
-- first report; both does both. The other columns count performance bugs: open now, fixed by now, and
-- in newest_month opened, and closed with a fix.
-- Group: bug reports
-- Words: share, real, new, fixed, open, duplicates, invalid, outcome

with

reports as (
    select
        repository,
        number,
        metrics.is_performance,
        metrics.is_rejected,
        metrics.is_fixed,
        metrics.state,
        metrics.month,
        strftime(timezone('UTC', metrics.closed_at), '%Y-%m') as closed_month,
        max(metrics.month) over (partition by metrics.repository) as newest_month,
        coalesce(not groups.is_first and firsts.number is not null, false) as is_repeated
    from marts.bug_metrics as metrics
    left join marts.duplicate_groups as groups using (repository, number)
    left join (
        select
            repository as of_repository,
            number
        from marts.bug_metrics
        where dataset = 'live'
    ) as firsts
        on repository = firsts.of_repository and groups.first_number = firsts.number
    where dataset = 'live'
),

ways as (
    select
        unnest(['all', 'not_rejected', 'duplicates_folded', 'both']) as counted,
        unnest([1, 2, 3, 4]) as place
)

select
    repository,
    counted,
    count(*) as bug_reports,
    count(*) filter (where is_performance) as performance_bugs,
    round(100 * count(*) filter (where is_performance) / count(*), 1) as percentage,
    count(*) filter (where is_performance and state = 'open') as open_now,
    count(*) filter (where is_performance and is_fixed) as fixed_by_now,
    newest_month,
    count(*) filter (where is_performance and month = newest_month) as opened_in_it,
    count(*) filter (where is_performance and is_fixed and closed_month = newest_month) as fixed_in_it
from reports
cross join ways
where
    (not is_rejected or counted in ('all', 'duplicates_folded'))
    and (not is_repeated or counted in ('all', 'not_rejected'))
group by repository, counted, place, newest_month
order by repository, place;
