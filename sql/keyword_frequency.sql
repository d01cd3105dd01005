-- Question: which keywords make bug reports performance bugs?
-- How to read: one line a keyword. only_reason counts the bug reports that would not be performance
-- bugs without it: no performance label, no other keyword. A keyword contained in another (slow in
-- slowdown) is found with it.
-- Group: labels
-- Words: word, slow

with

matches as (
    select
        unnest(matched_keywords) as keyword,
        array_length(matched_keywords) = 1 and array_length(matched_labels) = 0 as is_only_reason,
        state
    from staging.bug_reports
    where dataset = 'live' and is_performance
)

select
    keyword,
    count(*) as bug_reports,
    count(*) filter (where is_only_reason) as only_reason,
    count(*) filter (where state = 'open') as still_open
from matches
group by keyword
order by bug_reports desc, keyword;
