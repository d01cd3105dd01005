-- The questions about each framework, a repository of the study: those of the tag sets that the
-- study says are about it, each question once.

with

tag_sets as (
    select * from meta.tag_sets where repository is not null
),

question_groups as (
    select * from intermediate.question_groups where kind = 'all'
),

questions as (
    select * from staging.questions
),

waits as (
    select * from intermediate.question_answer_times
),

about as (
    select distinct
        tag_sets.repository,
        forum,
        question_groups.question_id
    from question_groups
    inner join tag_sets using (forum, tag_set)
)

select
    about.repository,
    forum,
    question_id,
    questions.month,
    questions.is_performance,
    waits.is_answered,
    waits.is_accepted
from about
inner join questions using (forum, question_id)
inner join waits using (forum, question_id)
