select
    repository || printf(
        ': GitHub withholds %d values from the token (for example %s: %s)',
        sum(entries)::bigint,
        min_by(subject, subject),
        min_by(reason, subject)
    )
from raw.issue_gaps
where kind = 'withheld' and lacks <> 'entry'
group by repository
order by repository
