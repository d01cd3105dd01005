select
    repository || printf(
        ': %d of %d issues were locked as spam and do not count as bug reports',
        count(*) filter (where not_a_bug_by = 'spam'),
        count(*)
    )
from labels.performance_labels
group by repository
having count(*) filter (where not_a_bug_by = 'spam') > 0
order by repository
