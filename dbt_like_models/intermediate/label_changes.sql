-- Each time a label was put on an issue or taken off it, counted through by label. Events decide: a
-- label that was first taken off was there from the opening on, and so was one that the issue
-- carries without any event. A label put on and taken off within the same second stays as it was
-- before.

with

issues as (
    select * from staging.issues
),

events as (
    select * from staging.issue_events where event in ('labeled', 'unlabeled')
),

moments as (
    select
        dataset,
        repository,
        number,
        events.label,
        greatest(events.changed_at, issues.opened_at) as changed_at,
        sum(case when events.event = 'labeled' then 1 else -1 end) as step
    from issues
    inner join events using (dataset, repository, number)
    group by
        dataset, repository, number, events.label, greatest(events.changed_at, issues.opened_at)
),

told as (
    select
        dataset,
        repository,
        number,
        label,
        row_number() over (
            partition by dataset, repository, number, label order by changed_at
        ) as change,
        changed_at,
        step > 0 as is_on
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

-- The state before the first event; a label without any is there now, or it never was.
there_from_the_opening as (
    select
        dataset,
        repository,
        number,
        label
    from told
    where change = 1 and not is_on
    union all
    select
        dataset,
        repository,
        number,
        label
    from carried
    anti join told using (dataset, repository, number, label)
),

changes as (
    select
        dataset,
        repository,
        number,
        there_from_the_opening.label,
        0 as change,
        issues.opened_at as changed_at,
        true as is_on
    from there_from_the_opening
    inner join issues using (dataset, repository, number)
    union all
    select
        dataset,
        repository,
        number,
        label,
        change,
        changed_at,
        is_on
    from told
)

select * from changes
