"""Queries for what is lacking: rows set aside, tables not available, what a source withholds."""

SET_ASIDE = """
select
    repository || printf(
        ': %d entries of GitHub''s answers are set aside, of %s (%s, for one: %s); '
        || 'raw.issue_gaps has them all',
        sum(entries)::bigint,
        list_aggregate(list_sort(list(distinct replace(entity, '_', ' '))), 'string_agg', ', '),
        min_by(subject, subject),
        min_by(reason, subject)
    )
from raw.issue_gaps
where lacks = 'entry'
group by repository
order by repository
"""
ROWS_SET_ASIDE = """
with findings as (
    select
        repository,
        min_by(
            "table" || ' of ' || month || ': ' || replace(rule, '_', ' ')
            || coalesce(' (' || examples[1] || ')', ''),
            (month, "table", rule)
        ) as example
    from meta.audit_findings
    inner join meta.audit_results using (repository, month, "table")
    where rows_set_aside > 0 and severity = 'critical'
    group by repository
)
select
    repository || printf(
        ': %s of %s rows (%.3f %%) break a rule, or belong to one that does, and are set aside%s; '
        || 'docs/rules.md says what that costs, and meta.audit_findings has the rules',
        format('{:,}', sum(rows_set_aside)::bigint),
        format('{:,}', sum(row_count)::bigint),
        100 * sum(rows_set_aside) / sum(row_count),
        coalesce(', for one ' || any_value(example), '')
    )
from meta.audit_results
left join findings using (repository)
group by repository
having sum(rows_set_aside) > 0
order by repository
"""
NOT_WHOLE = """
select
    case
        when outcome = 'not_available' then "table" || ' is not available: ' || reason
        else reason
    end
from meta.derived_audits
order by outcome, "table"
"""
WITHHELD = """
select
    repository || printf(
        ': GitHub withholds %d values from the token (%s, for one: %s)',
        sum(entries)::bigint,
        min_by(subject, subject),
        min_by(reason, subject)
    )
from raw.issue_gaps
where kind = 'withheld' and lacks <> 'entry'
group by repository
order by repository
"""
LOCKED_AS_SPAM = """
select
    repository || printf(
        ': %d of %d issues were locked as spam and are no bug reports',
        count(*) filter (where not_a_bug_by = 'spam'),
        count(*)
    )
from labels.performance_labels
group by repository
having count(*) filter (where not_a_bug_by = 'spam') > 0
order by repository
"""
CORRECTED = """
select
    repository || ': ' || case question
        when 'comments_before_their_issue' then printf(
            '%d of %d comments are older than their issue (%s, for one), which was imported: '
            || 'nobody waited for them',
            failing_rows, row_count, example
        )
        else printf(
            '%d of %d changes of labels are inferred (%s, for one), as GitHub tells no event where '
            || 'a label is renamed or deleted',
            failing_rows, row_count, example
        )
    end
from marts.integrity_checks
where
    dataset = 'live'
    and failing_rows > 0
    and question in ('comments_before_their_issue', 'labels_without_an_event')
order by repository, question
"""
