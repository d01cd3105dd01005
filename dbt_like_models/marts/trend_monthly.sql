-- The monthly series of each repository: how many bug reports, and performance bugs among them,
-- are open at the end of the month and were fixed until then (cumulative, as in the paper), and
-- beside it the month's own flow of opened and newly fixed ones. Bugs opened before the series
-- begins count as already there.

with

months as (
    select * from staging.months
),

bugs as (
    select * from marts.bug_metrics
),

state_changes as (
    select * from staging.state_changes
),

-- Everything that moves a count, with its month; each month appears at least once.
happenings as (
    select
        dataset,
        repository,
        month,
        null as is_performance,
        null as opened_number,
        null as fixed_number,
        null as open_step
    from months
    union all
    select
        dataset,
        repository,
        month,
        is_performance,
        number as opened_number,
        null as fixed_number,
        null as open_step
    from bugs
    union all
    select
        dataset,
        repository,
        strftime(closed_at at time zone 'UTC', '%Y-%m') as month,
        is_performance,
        null as opened_number,
        number as fixed_number,
        null as open_step
    from bugs
    where is_fixed
    union all
    select
        state_changes.dataset,
        state_changes.repository,
        state_changes.month,
        bugs.is_performance,
        null as opened_number,
        null as fixed_number,
        case when state_changes.is_open then 1 else -1 end as open_step
    from state_changes
    inner join bugs
        on state_changes.dataset = bugs.dataset
        and state_changes.repository = bugs.repository
        and state_changes.number = bugs.number
),

flow as (
    select
        dataset,
        repository,
        month,
        coalesce(sum(open_step) filter (where is_performance), 0) as open_performance_change,
        coalesce(sum(open_step), 0) as open_total_change,
        count(opened_number) filter (where is_performance) as opened_performance,
        count(opened_number) as opened_total,
        count(fixed_number) filter (where is_performance) as newly_fixed_performance,
        count(fixed_number) as newly_fixed_total
    from happenings
    group by dataset, repository, month
),

-- Sums come as hugeint.
cumulative as (
    select
        *,
        cast(sum(open_performance_change) over until_month as bigint) as open_performance,
        cast(sum(open_total_change) over until_month as bigint) as open_total,
        cast(sum(newly_fixed_performance) over until_month as bigint) as fixed_performance,
        cast(sum(newly_fixed_total) over until_month as bigint) as fixed_total
    from flow
    window until_month as (partition by dataset, repository order by month)
),

series as (
    select
        months.dataset,
        months.repository,
        months.month,
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
    inner join cumulative
        on months.dataset = cumulative.dataset
        and months.repository = cumulative.repository
        and months.month = cumulative.month
)

select * from series
