-- Each change of state in the life of an issue, bug report or not: opened, then closed and reopened
-- in turn. The close that the issue itself reports counts even where its event is missing. A second
-- close (or reopening) in a row changes nothing and is left out. Where a close and a reopening carry
-- the same second, the state before it stays; after the last of its moments the issue is in the
-- state that it reports itself.

with

issues as (
    select * from staging.issues
),

events as (
    select * from staging.issue_events where event in ('closed', 'reopened')
),

transitions as (
    select
        dataset,
        repository,
        number,
        greatest(events.changed_at, issues.opened_at) as changed_at,
        events.event = 'reopened' as is_open
    from issues
    inner join events using (dataset, repository, number)
    union all
    select
        dataset,
        repository,
        number,
        closed_at as changed_at,
        false as is_open
    from issues
    where closed_at is not null
),

moments as (
    select
        dataset,
        repository,
        number,
        changed_at,
        case when bool_or(is_open) = bool_and(is_open) then bool_or(is_open) end as is_open,
        row_number() over (
            partition by dataset, repository, number order by changed_at desc
        ) = 1 as is_last
    from transitions
    group by dataset, repository, number, changed_at
),

states as (
    select
        dataset,
        repository,
        number,
        opened_at as changed_at,
        0 as place,
        true as is_open
    from issues
    union all
    select
        dataset,
        repository,
        number,
        moments.changed_at,
        1 as place,
        case when moments.is_last then issues.state = 'open' else moments.is_open end as is_open
    from moments
    inner join issues using (dataset, repository, number)
),

decided as (
    select
        *,
        lag(is_open) over (
            partition by dataset, repository, number order by changed_at, place
        ) as was_open
    from states
    where is_open is not null
),

changes as (
    select
        dataset,
        repository,
        number,
        row_number() over (
            partition by dataset, repository, number order by changed_at, place
        ) as change,
        changed_at,
        strftime(changed_at at time zone 'UTC', '%Y-%m') as month,
        is_open
    from decided
    where was_open is null or is_open <> was_open
)

select * from changes
