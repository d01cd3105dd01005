-- What became of each mined bug report, and what says so. A linked fix comes first; then the marks of a
-- duplicate; then what people said: labels, comments about the close, and GitHub's reason. A report that
-- only a program closed, or that has a label for inactivity, was not rejected by anybody.

with

bug_reports as (
    select * from staging.bug_reports where dataset = 'live'
),

fixes as (
    select
        repository,
        number,
        fix_commits
    from intermediate.fixes
    where dataset = 'live'
),

marks as (
    select * from intermediate.duplicate_marks
),

closers as (
    select * from intermediate.closers
),

closing_comments as (
    select * from intermediate.closing_comments where is_within_a_week
),

carried as (
    select
        repository,
        number,
        label,
        ' ' || regexp_replace(lower(label), '[^a-z0-9]+', ' ', 'g') || ' ' as words
    from (
        select
            repository,
            number,
            unnest(labels) as label
        from bug_reports
    )
),

meanings as (
    select
        repository,
        number,
        label,
        case
            when regexp_matches(words, ' (duplicate|duplicates|dup|dupe)( issue| bug)? $')
                then 'duplicate'
            when
                regexp_matches(
                    words,
                    ' invalid( issue| bug| report)? $'
                    || '| (not a bug|notabug|not an issue|user error|usage error'
                    || '|(works|working|behaves) as (intended|designed|expected)'
                    || '|(by|as) design|(expected|intended) behaviou?r|false positive) '
                )
                then 'invalid'
            when
                regexp_matches(
                    words,
                    ' (wont ?fix|won t fix|not planned|out of scope) | (rejected|declined) $'
                )
                then 'not_planned'
            when regexp_matches(words, ' (stale|inactive|inactivity|abandoned) ') then 'stale'
        end as meaning
    from carried
),

labelled as (
    select
        repository,
        number,
        min(label) filter (where meaning = 'duplicate') as duplicate_label,
        min(label) filter (where meaning = 'invalid') as invalid_label,
        min(label) filter (where meaning = 'not_planned') as not_planned_label,
        min(label) filter (where meaning = 'stale') as stale_label
    from meanings
    group by repository, number
),

comments as (
    select
        repository,
        number,
        min(comment_id) filter (
            where regexp_matches(
                words,
                '(is|was)(n.t| not) (really |actually )?(a|an) ([a-z-]+ )?(bug|defect)\b'
                || '|\bnot (really |actually )?a ([a-z-]+ )?bug\b'
                || '|(works|working|behaves|behaving) as (intended|designed|expected)'
                || '|\b(expected|intended) behaviou?r\b|\bby design\b|\buser error\b'
                || '|clos(e|ed|ing) (this |it )?as invalid|\bmy (own )?(mistake|fault|bad)\b'
                || '|\bfalse (alarm|positive)\b'
            )
        ) as invalid_comment,
        min(comment_id) filter (
            where regexp_matches(
                words,
                '\bwon.?t ?fix\b|\bwill not (be )?fix(ed)?\b|\bnot planned\b|\bout of scope\b'
                || '|\bno plans? to\b|\bno longer (supported|maintained)\b|\bend of life\b'
            )
        ) as not_planned_comment
    from closing_comments
    group by repository, number
),

signs as (
    select
        repository,
        number,
        bug_reports.state,
        bug_reports.state_reason,
        bug_reports.html_url,
        coalesce(fixes.fix_commits, 0) > 0 as has_fix,
        marks.canonical_repository,
        marks.canonical_number,
        marks.marked_by,
        marks.comment_id as mark_comment,
        labelled.duplicate_label,
        labelled.invalid_label,
        labelled.not_planned_label,
        labelled.stale_label,
        comments.invalid_comment,
        comments.not_planned_comment,
        coalesce(closers.is_closed_by_program, false) as is_closed_by_program
    from bug_reports
    left join fixes using (repository, number)
    left join marks using (repository, number)
    left join labelled using (repository, number)
    left join comments using (repository, number)
    left join closers using (repository, number)
),

-- The first of these that holds: what became of it, and by what sign.
decided as (
    select
        *,
        case
            when state = 'open' then 'open by state'
            when has_fix then 'fixed by commit'
            when canonical_number is not null and marked_by = 'event' then 'duplicate by mark'
            when state_reason = 'duplicate' then 'duplicate by state_reason'
            when duplicate_label is not null then 'duplicate by label'
            when invalid_label is not null then 'invalid by label'
            when canonical_number is not null then 'duplicate by comment'
            when not_planned_label is not null then 'not_planned by label'
            when invalid_comment is not null then 'invalid by comment'
            when not_planned_comment is not null then 'not_planned by comment'
            when stale_label is not null then 'not_planned by inactivity'
            when state_reason = 'not_planned' and is_closed_by_program
                then 'not_planned by inactivity'
            when state_reason = 'not_planned' then 'not_planned by state_reason'
            else 'closed_without_fix by state'
        end as decision
    from signs
),

split as (
    select
        *,
        regexp_extract(decision, '^[a-z_]+', 0) as outcome,
        regexp_extract(decision, '[a-z_]+$', 0) as outcome_by
    from decided
),

named as (
    select
        repository,
        number,
        outcome,
        outcome_by,
        case
            when outcome_by = 'label' then coalesce(duplicate_label, invalid_label, not_planned_label)
            when outcome_by = 'comment'
                then
                    html_url || '#issuecomment-'
                    || case
                        when canonical_number is not null then mark_comment
                        else coalesce(invalid_comment, not_planned_comment)
                    end
            when outcome_by = 'state_reason' then state_reason
            when outcome_by = 'inactivity' then coalesce(stale_label, 'closed by a program')
        end as outcome_evidence,
        case
            when state = 'closed' and not has_fix then canonical_repository || '#' || canonical_number
        end as repeats
    from split
)

select
    'live' as dataset,
    repository,
    number,
    outcome,
    outcome_by,
    outcome_evidence,
    repeats,
    outcome in ('invalid', 'not_planned') and outcome_by <> 'inactivity' as is_rejected
from named
