-- Question: are performance bugs reopened more often than others?
-- How to read: of the bug reports that were closed at least once, how many were reopened, and how
-- often in the mean. A reopening often means that the first fix did not help.
-- Group: fixes
-- Words: reopened

select
    repository,
    case when is_performance then 'performance' else 'other' end as kind,
    count(*) filter (where state = 'closed' or reopenings > 0) as ever_closed,
    count(*) filter (where reopenings > 0) as reopened,
    round(
        100 * count(*) filter (where reopenings > 0)
        / nullif(count(*) filter (where state = 'closed' or reopenings > 0), 0), 1
    ) as reopened_percentage,
    round(avg(reopenings) filter (where reopenings > 0), 2) as mean_reopenings
from marts.bug_metrics
where dataset = 'live'
group by repository, is_performance
order by repository, kind;
