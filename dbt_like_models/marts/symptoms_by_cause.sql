-- Which symptoms come with which root causes, by categories and by sub-categories; symptoms are counted
-- in two ways, as in marts.problem_distribution. Pairs that do not occur have no row.

with

symptoms as (
    select * from intermediate.problem_symptoms where cause_category is not null
),

placed as (
    select distinct
        dataset,
        forum,
        counted,
        'category' as code_level,
        category as symptom,
        cause_category as cause,
        problem_id,
        question_id
    from symptoms
    union all
    select
        dataset,
        forum,
        counted,
        'subcategory' as code_level,
        category || coalesce(' (' || subcategory || ')', '') as symptom,
        cause_category || coalesce(' (' || cause_subcategory || ')', '') as cause,
        problem_id,
        question_id
    from symptoms
),

totals as (
    select
        dataset,
        forum,
        counted,
        count(distinct problem_id) as total_problems
    from symptoms
    group by dataset, forum, counted
),

crossings as (
    select
        dataset,
        forum,
        counted,
        code_level,
        symptom,
        cause,
        count(problem_id) as problems,
        count(distinct question_id) as posts
    from placed
    group by dataset, forum, counted, code_level, symptom, cause
)

select
    dataset,
    forum,
    counted,
    crossings.code_level,
    crossings.symptom,
    crossings.cause,
    crossings.problems,
    crossings.posts,
    totals.total_problems
from crossings
inner join totals using (dataset, forum, counted)
