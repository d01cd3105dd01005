-- Performance problems that users have, each with its stages, symptoms and root cause: the published
-- ones, found in questions on StackOverflow, and those that people described in review sheets, of
-- questions that most of them take for ones about performance. Where several raters described a
-- problem of a question (by its place among theirs), each of its codes is the one that most of them
-- gave, and is missing where none has the most.

with

published as (
    select * from replication.problems
),

verdicts as (
    select * from staging.question_verdicts
),

raters as (
    select
        forum,
        question_id,
        count(distinct rater) filter (where is_performance) as yes,
        count(distinct rater) filter (where not is_performance) as no
    from verdicts
    group by forum, question_id
),

described as (
    select
        forum,
        question_id,
        verdicts.problem,
        verdicts.introducing_stage,
        verdicts.exposing_stage,
        verdicts.symptom_1_category,
        verdicts.symptom_1_subcategory,
        verdicts.symptom_2_category,
        verdicts.symptom_2_subcategory,
        verdicts.cause_category,
        verdicts.cause_subcategory
    from verdicts
    inner join raters using (forum, question_id)
    where
        raters.yes > raters.no
        and verdicts.is_performance
        and coalesce(
            verdicts.symptom_1_category, verdicts.cause_category, verdicts.introducing_stage,
            verdicts.exposing_stage
        ) is not null
),

codes as (
    select
        forum,
        question_id,
        problem,
        'introducing_stage' as aspect,
        introducing_stage as category,
        cast(null as varchar) as subcategory
    from described
    union all
    select
        forum,
        question_id,
        problem,
        'exposing_stage' as aspect,
        exposing_stage as category,
        cast(null as varchar) as subcategory
    from described
    union all
    select
        forum,
        question_id,
        problem,
        'symptom_1' as aspect,
        symptom_1_category as category,
        symptom_1_subcategory as subcategory
    from described
    union all
    select
        forum,
        question_id,
        problem,
        'symptom_2' as aspect,
        symptom_2_category as category,
        symptom_2_subcategory as subcategory
    from described
    union all
    select
        forum,
        question_id,
        problem,
        'cause' as aspect,
        cause_category as category,
        cause_subcategory as subcategory
    from described
),

votes as (
    select
        forum,
        question_id,
        problem,
        aspect,
        category,
        subcategory,
        count(*) as votes
    from codes
    group by forum, question_id, problem, aspect, category, subcategory
),

places as (
    select
        *,
        votes = max(votes) over (partition by forum, question_id, problem, aspect) as is_most,
        count(*) over (
            partition by forum, question_id, problem, aspect, votes
        ) = 1 as is_alone
    from votes
),

agreed as (
    select
        forum,
        question_id,
        problem,
        max(category) filter (where aspect = 'introducing_stage') as introducing_stage,
        max(category) filter (where aspect = 'exposing_stage') as exposing_stage,
        max(category) filter (where aspect = 'symptom_1') as symptom_1_category,
        max(subcategory) filter (where aspect = 'symptom_1') as symptom_1_subcategory,
        max(category) filter (where aspect = 'symptom_2') as symptom_2_category,
        max(subcategory) filter (where aspect = 'symptom_2') as symptom_2_subcategory,
        max(category) filter (where aspect = 'cause') as cause_category,
        max(subcategory) filter (where aspect = 'cause') as cause_subcategory
    from places
    where is_most and is_alone
    group by forum, question_id, problem
),

problems as (
    select
        'live' as dataset,
        forum,
        cast(question_id as varchar) || '_' || cast(problem as varchar) as problem_id,
        question_id,
        introducing_stage,
        exposing_stage,
        symptom_1_category,
        symptom_1_subcategory,
        symptom_2_category,
        symptom_2_subcategory,
        cause_category,
        cause_subcategory
    from agreed
    union all
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
