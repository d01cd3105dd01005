-- When each mined bug report was triaged first: somebody else than its author put a label on it.

with

bug_reports as (
    select * from staging.bug_reports where dataset = 'live'
),

-- Who may triage is said here alone.
labelled as (
    select
        dataset,
        repository,
        number,
        bug_reports.opened_at,
        events.changed_at
    from bug_reports
    inner join staging.issue_events as events using (dataset, repository, number)
    where
        events.event = 'labeled'
        and events.changed_at >= bug_reports.opened_at
        and events.actor is not null
        and events.actor <> coalesce(bug_reports.author, 'ghost')
),

triaged as (
    select
        dataset,
        repository,
        number,
        min(changed_at) as triaged_at,
        min(date_diff('microsecond', opened_at, changed_at)) / 3600000000 as hours_to_triage
    from labelled
    group by dataset, repository, number
)

select * from triaged
