-- Question: do the tables fit together?
-- How to read: one line a question, those with failing rows first, and one of these. A comment without
-- its issue, or a link without its commit, is counted by nobody; fixes before their bug are wrong links.
-- Group: data quality
-- Words: integrity, mismatch

select
    repository,
    question,
    row_count,
    failing_rows,
    round(100 * failing_rows / nullif(row_count, 0), 2) as failing_percentage,
    example
from marts.integrity_checks
where dataset = 'live'
order by failing_rows = 0, repository, failing_rows desc, question;
