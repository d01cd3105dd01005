select
    repository || printf(
        ': what %d of %d commits change is unknown, as git cannot read it (%s, for one); they are '
        || 'read again once the source has the object',
        count(unreadable), count(*), min(unreadable)
    )
from raw.commits
group by repository
having count(unreadable) > 0
order by repository
