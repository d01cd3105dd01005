-- Question: for how many of the closed bug reports is a fix known?
-- How to read: by year of the close. Fix time and fix size describe the linked ones alone; where
-- their share is small or changes over the years, so does what those figures stand for.
-- Group: fixes
-- Words: linked, commit, missing

select
    repository,
    year(closed_at at time zone 'UTC') as closed_in,
    count(*) as closed_bugs,
    count(*) filter (where is_fixed) as with_fix,
    round(100 * count(*) filter (where is_fixed) / count(*), 1) as with_fix_percentage
from marts.bug_metrics
where dataset = 'live' and state = 'closed'
group by repository, closed_in
order by repository, closed_in;
