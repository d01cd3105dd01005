-- The months in which the state, the labels or the first fix of an issue changed, with its state at
-- the end of each; the row holds until the next one. What happens later never changes a row.

with

issues as (
    select * from staging.issues
),

state_changes as (
    select * from intermediate.state_changes
),

label_spans as (
    select * from intermediate.label_spans
),

fixes as (
    select * from staging.fixed_issues
),

closes as (
    select
        dataset,
        repository,
        number,
        changed_at as closed_at
    from staging.issue_events
    where event = 'closed'
    union all
    select
        dataset,
        repository,
        number,
        closed_at
    from issues
    where closed_at is not null
),

-- Everything that may change a row, with its month.
happenings as (
    select
        dataset,
        repository,
        number,
        month,
        cast(null as bigint) as change,
        cast(null as boolean) as is_open,
        cast(null as timestamp with time zone) as closed_at
    from issues
    union all
    select
        dataset,
        repository,
        number,
        month,
        change,
        is_open,
        cast(null as timestamp with time zone) as closed_at
    from state_changes
    union all
    select
        dataset,
        repository,
        number,
        strftime(
            greatest(closes.closed_at, issues.opened_at) at time zone 'UTC', '%Y-%m'
        ) as month,
        cast(null as bigint) as change,
        cast(null as boolean) as is_open,
        greatest(closes.closed_at, issues.opened_at) as closed_at
    from closes
    inner join issues using (dataset, repository, number)
    union all
    select
        dataset,
        repository,
        number,
        unnest([from_month, until_month]) as month,
        cast(null as bigint) as change,
        cast(null as boolean) as is_open,
        cast(null as timestamp with time zone) as closed_at
    from label_spans
    union all
    select
        dataset,
        repository,
        number,
        fix_month as month,
        cast(null as bigint) as change,
        cast(null as boolean) as is_open,
        cast(null as timestamp with time zone) as closed_at
    from fixes
),

months as (
    select
        dataset,
        repository,
        number,
        month,
        max_by(is_open, change) as is_open,
        max(closed_at) as closed_at
    from happenings
    where month is not null
    group by dataset, repository, number, month
),

-- What did not change in a month is as it was in the month before.
moments as (
    select
        dataset,
        repository,
        number,
        months.month,
        lead(months.month) over by_month as until_month,
        last_value(months.is_open ignore nulls) over by_month as is_open,
        max(months.closed_at) over by_month as closed_at
    from months
    inner join issues using (dataset, repository, number)
    where months.month >= issues.month
    window by_month as (partition by dataset, repository, number order by months.month)
)

select * from moments
