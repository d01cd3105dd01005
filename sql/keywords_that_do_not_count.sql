-- Question: where was a keyword left out of account because it stands in a template's words, in
-- code or in a comment of the page's source?
-- How to read: one line a bug report, newest first, that keywords alone would have made a
-- performance bug. Lines that many reports share show what their template asks.
-- Group: labels
-- Words: template, word

with

parameters as (
    select
        coalesce(getvariable('rows'), 500) as rows -- count: how many bug reports
)

select
    repository,
    number,
    issues.title,
    decisions.ignored_keywords,
    decisions.ignored_lines,
    issues.html_url
from labels.performance_labels as decisions
inner join raw.issues as issues using (repository, number)
where
    decisions.is_bug_report
    and not decisions.is_performance
    and array_length(decisions.ignored_keywords) > 0
order by issues.created_at desc, repository, number
limit (select parameters.rows from parameters);
