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
        coalesce(', for example ' || any_value(example), '')
    )
from meta.audit_results
left join findings using (repository)
group by repository
having sum(rows_set_aside) > 0
order by repository
