-- Question: which fixes brought a later bug with them?
-- How to read: one line a fix commit that last touched lines which the fix of a later bug takes away
-- (SZZ). A rough measure, as how_long_bugs_lived: a hint where to look.

select
    origins.repository,
    origins.introducing_sha as fix_sha,
    fixes.number as fixed_bug,
    origins.number as brought_bug,
    bugs.is_performance as brought_is_performance,
    cast(sum(origins.lines) as bigint) as lines
from intermediate.bug_introductions as origins
inner join intermediate.counted_fixes as fixes
    on origins.dataset = fixes.dataset
    and origins.repository = fixes.repository
    and origins.introducing_sha = fixes.sha
inner join marts.bug_metrics as bugs
    on origins.dataset = bugs.dataset
    and origins.repository = bugs.repository
    and origins.number = bugs.number
where origins.dataset = 'live' and origins.is_candidate and fixes.number <> origins.number
group by all
order by lines desc, origins.repository, fix_sha, fixed_bug, brought_bug;
