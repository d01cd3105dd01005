-- The state of each finding of the static checks: whether it is still in the newest tree, as the last
-- run found it, and what the project did about it, as raters say. The state imported last counts. It is
-- kept by the identity of the finding, whatever later runs and rules find.

with

trees as (
    select
        repository,
        max(month) as newest_month
    from raw.scanned_trees
    group by repository
),

findings as (
    select
        repository,
        finding_id,
        min(quarter) as first_quarter,
        max(quarter) as last_quarter,
        max(month) as last_month,
        max(rule) as rule,
        max(path) as path
    from raw.static_findings
    group by repository, finding_id
),

-- A later verdict that says nothing of the state leaves it as it was.
told as (
    select
        repository,
        finding_id,
        rater,
        state,
        address,
        imported_at,
        row_number() over (
            partition by repository, finding_id
            order by verdict_id desc
        ) as place
    from reviews.finding_verdicts
    where state is not null
),

last_told as (
    select * from told where place = 1
),

known as (
    select repository, finding_id from findings
    union
    select repository, finding_id from last_told
),

states as (
    select
        repository,
        finding_id,
        findings.rule,
        findings.path,
        findings.first_quarter,
        findings.last_quarter,
        coalesce(findings.last_month < trees.newest_month, true) as is_gone,
        last_told.state,
        last_told.address,
        last_told.rater as told_by,
        last_told.imported_at as told_at
    from known
    left join findings using (repository, finding_id)
    left join trees using (repository)
    left join last_told using (repository, finding_id)
)

select * from states
