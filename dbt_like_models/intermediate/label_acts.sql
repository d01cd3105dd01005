-- Each time a label that decides, because it marks performance or something else than a bug, was put on
-- a mined issue, and by whom. A form puts its labels on in the author's name when the issue is opened. An
-- account is an automation where GitHub or the study says so, and where it has put ten labels or more on
-- issues of others, nine of ten of them within two minutes of the opening.

with

issues as (
    select * from staging.issues where dataset = 'live'
),

accounts as (
    select
        repository as of_repository,
        login,
        is_member,
        is_bot,
        bot_reason
    from staging.accounts
),

forms as (
    select * from labels.report_forms
),

kinds as (
    select
        repository,
        label,
        is_performance,
        is_non_bug
    from labels.label_kinds
    where is_performance or is_non_bug
),

events as (
    select
        repository,
        number,
        events.event_id,
        events.event,
        events.label,
        events.actor,
        events.changed_at,
        issues.author,
        issues.opened_at,
        epoch_us(events.changed_at) - epoch_us(issues.opened_at) as waited
    from issues
    inner join staging.issue_events as events using (dataset, repository, number)
    where events.event in ('labeled', 'unlabeled')
),

paces as (
    select
        repository,
        actor,
        count(event_id) as labels_at_once
    from events
    where event = 'labeled' and actor is not null and actor <> coalesce(author, '')
    group by repository, actor
    having
        count(event_id) >= 10
        and 10 * count(event_id) filter (where waited <= 120000000) >= 9 * count(event_id)
),

undone as (
    select
        repository,
        number,
        label,
        changed_at,
        actor
    from events
    where event = 'unlabeled'
),

put_on as (
    select
        events.repository,
        events.number,
        events.event_id,
        events.label,
        events.actor,
        events.author,
        events.changed_at,
        events.waited,
        min(undone.changed_at) as undone_at,
        min_by(undone.actor, undone.changed_at) as undone_by
    from events
    left join undone
        on
            events.repository = undone.repository
            and events.number = undone.number
            and events.label = undone.label
            and events.changed_at <= undone.changed_at
    where events.event = 'labeled'
    group by
        events.repository, events.number, events.event_id, events.label, events.actor,
        events.author, events.changed_at, events.waited
),

acts as (
    select
        repository,
        number,
        event_id,
        label,
        actor,
        changed_at,
        waited,
        undone_at,
        undone_by,
        case
            when actor is null then 'unknown'
            when
                coalesce(accounts.is_bot, actor like '%[bot]')
                or (
                    paces.labels_at_once is not null
                    and not coalesce(accounts.bot_reason = 'study_file', false)
                )
                then 'automation'
            when actor = put_on.author and waited <= 5000000
                then case when forms.form_path is null then 'author' else 'form' end
            when actor = put_on.author then 'author'
            else 'member'
        end as labeller
    from put_on
    left join accounts on repository = accounts.of_repository and actor = accounts.login
    left join paces using (repository, actor)
    left join forms using (repository, number)
)

select
    'live' as dataset,
    repository,
    number,
    event_id,
    label,
    kinds.is_performance,
    labeller,
    actor,
    changed_at as labelled_at,
    strftime(changed_at at time zone 'UTC', '%Y-%m') as month,
    greatest(0, waited) as microseconds_to_label,
    undone_at,
    undone_by
from acts
inner join kinds using (repository, label)
