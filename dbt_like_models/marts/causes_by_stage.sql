-- At which stages problems of which root causes come in, and at which they are noticed, by categories
-- and by sub-categories of causes. Every problem counts once, whatever its symptoms; combinations that
-- do not occur have no row.

with

problems as (
    select * from staging.problems
    where
        cause_category is not null
        and introducing_stage is not null
        and exposing_stage is not null
),

placed as (
    select
        *,
        'category' as code_level,
        cause_category as cause
    from problems
    union all
    select
        *,
        'subcategory' as code_level,
        cause_category || coalesce(' (' || cause_subcategory || ')', '') as cause
    from problems
),

totals as (
    select
        dataset,
        forum,
        count(problem_id) as total_problems
    from problems
    group by dataset, forum
),

crossings as (
    select
        dataset,
        forum,
        code_level,
        cause,
        introducing_stage,
        exposing_stage,
        count(problem_id) as problems,
        count(distinct question_id) as posts
    from placed
    group by dataset, forum, code_level, cause, introducing_stage, exposing_stage
)

select
    dataset,
    forum,
    crossings.code_level,
    crossings.cause,
    crossings.introducing_stage,
    crossings.exposing_stage,
    crossings.problems,
    crossings.posts,
    totals.total_problems
from crossings
inner join totals using (dataset, forum)
