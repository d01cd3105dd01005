-- How many performance problems that users have show which symptom, have which root cause, came in or
-- were noticed at which stage. A problem with two symptoms counts once by its first symptom, and for
-- each of them where any symptom counts; a question may hold several problems, so both are counted.

with

problems as (
    select * from staging.problems
),

symptoms as (
    select * from intermediate.problem_symptoms
),

codes as (
    select
        dataset,
        forum,
        problem_id,
        question_id,
        'symptom' as aspect,
        counted,
        category,
        subcategory
    from symptoms
    union all
    select
        dataset,
        forum,
        problem_id,
        question_id,
        'root_cause' as aspect,
        'every_problem' as counted,
        cause_category as category,
        cause_subcategory as subcategory
    from problems
    union all
    select
        dataset,
        forum,
        problem_id,
        question_id,
        'introducing_stage' as aspect,
        'every_problem' as counted,
        introducing_stage as category,
        cast(null as varchar) as subcategory
    from problems
    union all
    select
        dataset,
        forum,
        problem_id,
        question_id,
        'exposing_stage' as aspect,
        'every_problem' as counted,
        exposing_stage as category,
        cast(null as varchar) as subcategory
    from problems
),

given as (
    select * from codes where category is not null
),

-- A problem counts for a category once, whichever of its symptoms belong to it.
placed as (
    select distinct
        dataset,
        forum,
        problem_id,
        question_id,
        aspect,
        counted,
        category as code,
        category,
        cast(null as varchar) as subcategory
    from given
    union all
    select
        dataset,
        forum,
        problem_id,
        question_id,
        aspect,
        counted,
        category || ' (' || subcategory || ')' as code,
        category,
        subcategory
    from given
    where subcategory is not null
),

totals as (
    select
        dataset,
        forum,
        aspect,
        counted,
        count(distinct problem_id) as total_problems,
        count(distinct question_id) as total_posts
    from given
    group by dataset, forum, aspect, counted
),

distribution as (
    select
        dataset,
        forum,
        aspect,
        counted,
        code,
        category,
        subcategory,
        count(problem_id) as problems,
        count(distinct question_id) as posts
    from placed
    group by dataset, forum, aspect, counted, code, category, subcategory
)

select
    dataset,
    forum,
    aspect,
    counted,
    distribution.code,
    distribution.category,
    distribution.subcategory,
    distribution.problems,
    distribution.posts,
    totals.total_problems,
    totals.total_posts,
    100 * distribution.problems / totals.total_problems as percent
from distribution
inner join totals using (dataset, forum, aspect, counted)
