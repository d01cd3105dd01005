-- Question: do static checks find what users ask about?
-- How to read: one line a root cause of the codebook of problems: findings in the newest tree of each
-- repository, those that are gone from it, and performance problems in questions with that cause, as
-- raters found them here and as the study of performance problems published them.
-- Group: static checks
-- Words: lint, linter

with

newest as (
    select
        repository,
        max(month) as newest_month
    from raw.scanned_trees
    group by repository
),

findings as (
    select
        cause_category,
        cause_subcategory,
        count(distinct repository || finding_id) filter (where month = newest_month) as in_newest,
        count(distinct repository || finding_id) as ever
    from raw.static_findings
    inner join newest using (repository)
    group by cause_category, cause_subcategory
),

problems as (
    select
        category as cause_category,
        subcategory as cause_subcategory,
        sum(problems) filter (where dataset = 'live') as asked_here,
        sum(problems) filter (where dataset = 'replication') as published
    from marts.problem_distribution
    where aspect = 'root_cause' and subcategory is not null
    group by category, subcategory
)

select
    cause_category,
    cause_subcategory,
    coalesce(findings.in_newest, 0) as findings,
    coalesce(findings.ever - findings.in_newest, 0) as gone,
    coalesce(problems.asked_here, 0) as problems_asked,
    coalesce(problems.published, 0) as problems_published
from findings
full join problems using (cause_category, cause_subcategory)
order by findings desc, problems_published desc, cause_category, cause_subcategory;
