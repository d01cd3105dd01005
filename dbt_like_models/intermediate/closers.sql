-- Who closed each mined issue last, and whether a program did.

with

accounts as (
    select
        repository as of_repository,
        login,
        is_bot
    from staging.accounts
),

closed as (
    select
        repository,
        number,
        max_by(actor, changed_at) as closed_by
    from staging.issue_events
    where event = 'closed'
    group by repository, number
)

select
    repository,
    number,
    closed_by,
    coalesce(accounts.is_bot, closed_by like '%[bot]', false) as is_closed_by_program
from closed
left join accounts on repository = accounts.of_repository and closed_by = accounts.login
