-- Question: which audits refused rows or warned of them, and by which rule?
-- How to read: one line a rule that was broken, with the partitions that break it, the rows in all, and
-- one of them. Rows that break a critical rule were refused, those of a warning are stored.
-- Group: data quality
-- Words: rule, check

with

findings as (
    select * from meta.audit_findings
)

select
    repository,
    "table",
    rule,
    severity,
    count(*) as partitions,
    cast(sum(failing_rows) as bigint) as failing_rows,
    min(month) as first_month,
    max(month) as last_month,
    any_value(examples[1] order by month) as example
from findings
group by repository, "table", rule, severity
order by severity, failing_rows desc, repository, "table", rule;
