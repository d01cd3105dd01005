-- Question: which findings of static checks are there longest?
-- How to read: one line a finding of the newest tree, with the first quarter in which it was there in the
-- same file; fifty of them. A file that was renamed, or a line that was rewritten, begins anew.
-- Group: static checks
-- Words: lint, linter, stale, old

with

newest as (
    select
        repository,
        max(month) as month
    from raw.scanned_trees
    group by repository
),

since as (
    select
        repository,
        finding_id,
        min(quarter) as first_quarter
    from raw.static_findings
    group by repository, finding_id
)

select
    repository,
    since.first_quarter,
    findings.rule,
    findings.severity,
    findings.path,
    findings.line,
    findings.code
from raw.static_findings as findings
inner join newest using (repository, month)
inner join since using (repository, finding_id)
order by since.first_quarter, repository, findings.path, findings.line, findings.rule
limit 50;
