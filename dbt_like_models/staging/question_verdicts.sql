-- The verdict in force of each rater on each question that is studied, a row for each problem that the
-- rater found in it: that of the sheet imported last. Of a question without a problem, or of another
-- kind, there is one row. Root causes of the codebook before have the names of the study.

with

questions as (
    select * from staging.questions
),

given as (
    select * from reviews.question_verdicts
),

latest as (
    select max(verdict_id) as verdict_id
    from given
    group by forum, question_id, rater
),

in_force as (
    select
        given.forum,
        given.question_id,
        given.rater,
        given.file_sha256
    from latest
    inner join given using (verdict_id)
),

verdicts as (
    select
        forum,
        question_id,
        rater,
        given.problem,
        given.verdict,
        case given.verdict when 'yes' then true when 'no' then false end as is_performance,
        given.kinds,
        given.symptom_1_category,
        given.symptom_1_subcategory,
        given.symptom_2_category,
        given.symptom_2_subcategory,
        given.cause_category,
        given.cause_subcategory,
        given.introducing_stage,
        given.exposing_stage,
        case given.challenge
            when 'Hyperparameters' then 'Incorrect hyperparameter selection'
            when 'Static graphs' then 'Static graph computation'
            when 'Debugging and profiling support' then 'Limited debugging and profiling support'
            else given.challenge
        end as challenge,
        given.note,
        given.imported_at,
        questions.is_performance as is_labelled,
        questions.title,
        questions.html_url
    from in_force
    inner join given using (forum, question_id, rater, file_sha256)
    inner join questions using (forum, question_id)
)

select * from verdicts
