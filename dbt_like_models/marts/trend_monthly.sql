-- The monthly series of each repository: how many bug reports, and performance bugs among them,
-- are open at the end of the month and are fixed then (the paper's cumulative series), and beside it
-- the month's own flow of opened and newly fixed ones. Each row tells the state, the labels and the
-- fixes as they were at the end of its month, so that it stays as it is whatever happens later, and
-- the last rows may differ from marts.bug_metrics, which is as of now. Bugs opened before the series
-- begins count as already there.

with

months as (
    select * from intermediate.months
),

history as (
    select * from marts.issue_history where is_bug_report
),

-- Everything that moves a count, with its month; each month appears at least once.
happenings as (
    select
        dataset,
        repository,
        month,
        false as is_performance,
        0 as open_step,
        0 as fixed_step,
        0 as opened,
        0 as newly_fixed
    from months
    union all
    select
        dataset,
        repository,
        month,
        is_performance,
        cast(state = 'open' as integer) as open_step,
        cast(is_fixed as integer) as fixed_step,
        cast(month = opened_month as integer) as opened,
        cast(
            is_fixed and strftime(closed_at at time zone 'UTC', '%Y-%m') = month as integer
        ) as newly_fixed
    from history
    union all
    select
        dataset,
        repository,
        until_month as month,
        is_performance,
        -cast(state = 'open' as integer) as open_step,
        -cast(is_fixed as integer) as fixed_step,
        0 as opened,
        0 as newly_fixed
    from history
    where until_month is not null
),

flow as (
    select
        dataset,
        repository,
        month,
        coalesce(sum(open_step) filter (where is_performance), 0) as open_performance_change,
        sum(open_step) as open_total_change,
        coalesce(sum(fixed_step) filter (where is_performance), 0) as fixed_performance_change,
        sum(fixed_step) as fixed_total_change,
        coalesce(sum(opened) filter (where is_performance), 0) as opened_performance,
        sum(opened) as opened_total,
        coalesce(sum(newly_fixed) filter (where is_performance), 0) as newly_fixed_performance,
        sum(newly_fixed) as newly_fixed_total
    from happenings
    group by dataset, repository, month
),

-- Sums come as hugeint.
cumulative as (
    select
        dataset,
        repository,
        month,
        cast(sum(open_performance_change) over until_month as bigint) as open_performance,
        cast(sum(open_total_change) over until_month as bigint) as open_total,
        cast(sum(fixed_performance_change) over until_month as bigint) as fixed_performance,
        cast(sum(fixed_total_change) over until_month as bigint) as fixed_total,
        cast(opened_performance as bigint) as opened_performance,
        cast(opened_total as bigint) as opened_total,
        cast(newly_fixed_performance as bigint) as newly_fixed_performance,
        cast(newly_fixed_total as bigint) as newly_fixed_total
    from flow
    window until_month as (partition by dataset, repository order by month)
),

series as (
    select
        dataset,
        repository,
        month,
        months.is_complete,
        cumulative.open_performance,
        cumulative.open_total,
        100 * cumulative.open_performance / nullif(cumulative.open_total, 0) as open_percentage,
        cumulative.fixed_performance,
        cumulative.fixed_total,
        100 * cumulative.fixed_performance / nullif(cumulative.fixed_total, 0) as fixed_percentage,
        cumulative.opened_performance,
        cumulative.opened_total,
        cumulative.newly_fixed_performance,
        cumulative.newly_fixed_total
    from months
    inner join cumulative using (dataset, repository, month)
)

select * from series
