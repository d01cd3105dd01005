-- Each time a label was put on an issue or taken off it, counted through by label. Events decide: a
-- label that was first taken off was there from the opening on, and so was one that the issue
-- carries without any event. A label put on and taken off within the same second stays as it was
-- before.
--
-- In the end an issue has the labels that it carries. GitHub tells no event of a label that was
-- renamed or deleted in the repository: events keep its former name. That is inferred and marked. A
-- label that events have put on, that no issue carries any more, was renamed to the label that most
-- of its issues carry without an event, and few others do, or to one that differs in case alone;
-- else it was deleted; either after the last event that names it.

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
        label,
        changed_at as first_event_at
    from told
    where change = 1 and not is_on
    union all
    select
        dataset,
        repository,
        number,
        label,
        cast(null as timestamp with time zone) as first_event_at
    from carried
    anti join told using (dataset, repository, number, label)
),

-- What events make of each label in the end.
ends as (
    select
        dataset,
        repository,
        number,
        label,
        max(change) as change,
        max(changed_at) as changed_at,
        max_by(is_on, change) as is_on
    from told
    group by dataset, repository, number, label
),

-- Labels that are on by events and not carried.
stale as (
    select * from ends
    anti join carried using (dataset, repository, number, label)
    where is_on
),

-- When the repository last had an event of a label that no issue carries any more.
gone as (
    select
        dataset,
        repository,
        label,
        max(changed_at) as last_event_at
    from ends
    anti join carried using (dataset, repository, label)
    group by dataset, repository, label
),

unexplained as (
    select
        dataset,
        repository,
        number,
        label as new_label
    from there_from_the_opening
),

pairs as (
    select
        dataset,
        repository,
        label,
        unexplained.new_label,
        count(*) as issues
    from stale
    inner join gone using (dataset, repository, label)
    inner join unexplained using (dataset, repository, number)
    group by dataset, repository, label, unexplained.new_label
),

stale_issues as (
    select
        dataset,
        repository,
        label,
        count(*) as issues
    from stale
    group by dataset, repository, label
),

unexplained_issues as (
    select
        dataset,
        repository,
        new_label,
        count(*) as issues
    from unexplained
    group by dataset, repository, new_label
),

-- A majority on both sides, so that a former name has one new name and the other way round; or the
-- same name but for its case, of which a repository has one at a time.
renamed as (
    select
        dataset,
        repository,
        label,
        new_label
    from pairs
    inner join stale_issues using (dataset, repository, label)
    inner join unexplained_issues using (dataset, repository, new_label)
    where
        lower(label) = lower(new_label)
        or (
            2 * pairs.issues > stale_issues.issues
            and 2 * pairs.issues > unexplained_issues.issues
        )
),

new_names as (
    select
        dataset,
        repository,
        number,
        renamed.new_label as label,
        max(gone.last_event_at) as renamed_at
    from stale
    inner join renamed using (dataset, repository, label)
    inner join gone using (dataset, repository, label)
    group by dataset, repository, number, renamed.new_label
),

changes as (
    select
        dataset,
        repository,
        number,
        label,
        0 as change,
        greatest(
            issues.opened_at,
            least(
                coalesce(new_names.renamed_at, issues.opened_at),
                coalesce(opening.first_event_at, new_names.renamed_at, issues.opened_at)
            )
        ) as changed_at,
        true as is_on,
        new_names.renamed_at is not null as is_inferred
    from there_from_the_opening as opening
    inner join issues using (dataset, repository, number)
    left join new_names using (dataset, repository, number, label)
    union all
    select
        dataset,
        repository,
        number,
        label,
        change,
        changed_at,
        is_on,
        false as is_inferred
    from told
    union all
    select
        dataset,
        repository,
        number,
        label,
        stale.change + 1 as change,
        coalesce(gone.last_event_at, stale.changed_at) as changed_at,
        false as is_on,
        true as is_inferred
    from stale
    left join gone using (dataset, repository, label)
    union all
    select
        dataset,
        repository,
        number,
        label,
        ends.change + 1 as change,
        ends.changed_at,
        true as is_on,
        true as is_inferred
    from ends
    inner join carried using (dataset, repository, number, label)
    where not ends.is_on
)

select * from changes
