-- Question: which performance bugs did people reject, as no bug or as not planned?
-- How to read: the newest first, each with what says so. The evidence is the label, the address of the
-- comment, or the reason that GitHub gives.
-- Group: bug reports
-- Words: invalid, wontfix, not planned, not a bug, outcome

with

parameters as (
    select
        coalesce(getvariable('rows'), 20) as rows -- count: how many reports
)

select
    repository,
    number,
    title,
    outcome,
    outcome_by,
    outcome_evidence,
    closed_at,
    html_url
from marts.bug_metrics, parameters
where dataset = 'live' and is_performance and is_rejected
qualify row_number() over (order by closed_at desc, repository, number) <= parameters.rows
order by closed_at desc, repository, number;
