-- The symptoms of problems in two counts: of each problem the first symptom alone, or each of its
-- symptoms.

with

problems as (
    select * from staging.problems
),

told as (
    select
        'first_symptom' as counted,
        dataset,
        forum,
        problem_id,
        symptom_1_category as category,
        symptom_1_subcategory as subcategory
    from problems
    union all
    select
        'any_symptom' as counted,
        dataset,
        forum,
        problem_id,
        symptom_1_category as category,
        symptom_1_subcategory as subcategory
    from problems
    union all
    select
        'any_symptom' as counted,
        dataset,
        forum,
        problem_id,
        symptom_2_category as category,
        symptom_2_subcategory as subcategory
    from problems
),

symptoms as (
    select distinct
        dataset,
        forum,
        problem_id,
        problems.question_id,
        told.counted,
        told.category,
        told.subcategory,
        problems.cause_category,
        problems.cause_subcategory
    from told
    inner join problems using (dataset, forum, problem_id)
    where told.category is not null
)

select * from symptoms
