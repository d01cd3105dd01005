-- When each mined bug report was triaged first: a person other than its author put a label on it. Who
-- may label has the role for it at GitHub, so that it is a member, whatever is known of the account.

with

bug_reports as (
    select * from staging.bug_reports where dataset = 'live'
),

accounts as (
    select
        repository as of_repository,
        login,
        is_bot
    from staging.accounts
),

labelled as (
    select
        dataset,
        repository,
        number,
        bug_reports.opened_at,
        events.changed_at
    from bug_reports
    inner join staging.issue_events as events using (dataset, repository, number)
    left join accounts
        on repository = accounts.of_repository and events.actor = accounts.login
    where
        events.event = 'labeled'
        and events.changed_at >= bug_reports.opened_at
        and events.actor is not null
        and events.actor <> coalesce(bug_reports.author, 'ghost')
        and not coalesce(accounts.is_bot, events.actor like '%[bot]')
),

triaged as (
    select
        dataset,
        repository,
        number,
        min(changed_at) as triaged_at,
        min(epoch_us(changed_at) - epoch_us(opened_at)) / 3600000000 as hours_to_triage
    from labelled
    group by dataset, repository, number
)

select * from triaged
