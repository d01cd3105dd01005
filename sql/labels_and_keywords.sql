-- Question: do the maintainers' performance labels and the keywords find the same bugs?
-- How to read: the performance bugs of each repository, by what marks them. Many bugs marked by
-- keyword alone: labels are used sparingly, or keywords match too much; read some of them.
-- Group: labels
-- Words: rule, agreement

select
    repository,
    count(*) as performance_bugs,
    count(*) filter (where array_length(matched_labels) > 0 and array_length(matched_keywords) > 0) as by_both,
    count(*) filter (where array_length(matched_keywords) = 0) as by_label_only,
    count(*) filter (where array_length(matched_labels) = 0) as by_keyword_only
from staging.bug_reports
where dataset = 'live' and is_performance
group by repository
order by repository;
