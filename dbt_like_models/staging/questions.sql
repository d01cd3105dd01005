-- The questions of the study's forums as they are now, each once, with what was decided of them.
-- Questions of tag sets that left the study, and of months before its first one, do not appear.

with

tag_sets as (
    select * from meta.tag_sets
),

questions as (
    select * from raw.questions
),

decisions as (
    select * from labels.performance_questions
),

named as (
    select
        forum,
        question_id,
        month,
        unnest(tag_sets) as tag_set
    from questions
),

studied as (
    select distinct
        forum,
        named.question_id
    from named
    inner join tag_sets using (forum, tag_set)
    where named.month >= tag_sets.start_month
),

united as (
    select
        forum,
        question_id,
        questions.month,
        questions.tag_sets,
        questions.title,
        questions.html_url,
        questions.created_at as asked_at,
        questions.last_activity_at,
        questions.score,
        questions.views,
        questions.accepted_answer_id,
        questions.closed_at,
        decisions.is_performance
    from questions
    inner join studied using (forum, question_id)
    left join decisions using (forum, question_id)
)

select * from united
