-- Performance problems that users have, each with its stages, symptoms and root cause: the published
-- ones, found in questions on StackOverflow.

with

published as (
    select * from replication.problems
),

problems as (
    select
        'replication' as dataset,
        forum,
        problem_id,
        question_id,
        introducing_stage,
        exposing_stage,
        symptom_1_category,
        symptom_1_subcategory,
        symptom_2_category,
        symptom_2_subcategory,
        cause_category,
        cause_subcategory
    from published
)

select * from problems
