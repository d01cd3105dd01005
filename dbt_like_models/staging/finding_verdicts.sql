-- The verdict in force of each rater on each finding that the checks of now report in a quarter. What
-- a rule does not report any more, since it was mended, tells nothing of it.

with

findings as (
    select
        repository,
        finding_id,
        any_value(rule) as rule,
        any_value(path) as path,
        any_value(code) as code
    from raw.static_findings
    group by repository, finding_id
),

given as (
    select * from reviews.finding_verdicts
),

latest as (
    select max(verdict_id) as verdict_id
    from given
    group by repository, finding_id, rater
),

verdicts as (
    select
        repository,
        finding_id,
        given.rater,
        given.verdict,
        given.state,
        given.address,
        given.note,
        given.imported_at,
        findings.rule,
        findings.path,
        findings.code
    from latest
    inner join given using (verdict_id)
    inner join findings using (repository, finding_id)
)

select * from verdicts
