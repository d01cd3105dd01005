select
    repository || printf(
        ': git cannot read the changes of %d of %d commits (for example %s); a run reads them '
        || 'again once the source has the objects',
        count(unreadable), count(*), min(unreadable)
    )
from raw.commits
group by repository
having count(unreadable) > 0
order by repository
