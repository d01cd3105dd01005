-- Question: what share of the bugs opened each month has a performance label, keywords aside?
-- How to read: one line a month of opening: the bug reports with a performance label of the project as
-- it is now, and beside them all that the rule of the study counts, with keywords. A low share by labels
-- may also mean that the project seldom uses them.
-- Group: labels
-- Words: series, trend, sensitivity, month

select
    repository,
    month,
    count(*) as opened,
    count(*) filter (where is_performance and len(matched_labels) > 0) as labelled,
    round(100 * labelled / count(*), 1) as labelled_percentage,
    count(*) filter (where is_performance) as by_rule,
    round(100 * by_rule / count(*), 1) as by_rule_percentage
from staging.bug_reports
where dataset = 'live'
group by repository, month
order by repository, month;
