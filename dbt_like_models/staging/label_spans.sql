-- When each label was on each issue, by the months at whose end it was there. Events decide: a
-- label that was first put on was not there before, one that was first taken off was there from
-- the opening on, and so was one that the issue carries without any event. A label put on and
-- taken off within the same second stays as it was before.

with

issues as (
    select * from staging.issues
),

kinds as (
    select * from labels.label_kinds
),

moments as (
    select
        issues.dataset,
        issues.repository,
        issues.number,
        events.label,
        greatest(events.created_at, issues.opened_at) as changed_at,
        sum(case when events.event = 'labeled' then 1 else -1 end) as step
    from raw.issue_events as events
    inner join issues
        on issues.dataset = 'live'
        and events.repository = issues.repository
        and events.number = issues.number
    where events.event in ('labeled', 'unlabeled')
    group by all
),

changes as (
    select
        dataset,
        repository,
        number,
        label,
        changed_at,
        step > 0 as is_on,
        row_number() over (
            partition by dataset, repository, number, label order by changed_at
        ) as place
    from moments
    where step <> 0
),

carried as (
    select
        dataset,
        repository,
        number,
        unnest(labels) as label
    from issues
),

-- The state before the first change; a label that never changed is there now, or it never was.
states as (
    select
        dataset,
        repository,
        number,
        label,
        changed_at,
        place,
        is_on
    from changes
    union all
    select
        changes.dataset,
        changes.repository,
        changes.number,
        changes.label,
        issues.opened_at as changed_at,
        0 as place,
        true as is_on
    from changes
    inner join issues
        on changes.dataset = issues.dataset
        and changes.repository = issues.repository
        and changes.number = issues.number
    where changes.place = 1 and not changes.is_on
    union all
    select
        carried.dataset,
        carried.repository,
        carried.number,
        carried.label,
        issues.opened_at as changed_at,
        0 as place,
        true as is_on
    from carried
    inner join issues
        on carried.dataset = issues.dataset
        and carried.repository = issues.repository
        and carried.number = issues.number
    anti join changes
        on carried.dataset = changes.dataset
        and carried.repository = changes.repository
        and carried.number = changes.number
        and carried.label = changes.label
),

spans as (
    select
        dataset,
        repository,
        number,
        label,
        is_on,
        strftime(changed_at at time zone 'UTC', '%Y-%m') as from_month,
        lead(strftime(changed_at at time zone 'UTC', '%Y-%m')) over (
            partition by dataset, repository, number, label order by place
        ) as until_month
    from states
)

select
    spans.dataset,
    spans.repository,
    spans.number,
    spans.label,
    spans.from_month,
    spans.until_month,
    coalesce(kinds.is_performance, false) as is_performance,
    coalesce(kinds.is_non_bug, false) as is_non_bug
from spans
left join kinds
    on spans.dataset = 'live'
    and spans.repository = kinds.repository
    and spans.label = kinds.label
where spans.is_on and (spans.until_month is null or spans.until_month > spans.from_month)
