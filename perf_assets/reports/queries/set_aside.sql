select
    repository || printf(
        ': %d entries of GitHub''s answers are set aside, of %s (for example %s: %s); '
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
