-- The questions about each framework, a repository of the study: those of the tag sets that the
-- study says are about it, each question once. That stems are found makes a question a candidate,
-- which a person checks, as in the study (Cao et al., ESEC/FSE 2022).

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

verdicts as (
    select distinct
        forum,
        question_id,
        rater,
        is_performance
    from staging.question_verdicts
),

votes as (
    select
        forum,
        question_id,
        count(rater) filter (where is_performance) as yes,
        count(rater) filter (where not is_performance) as no
    from verdicts
    group by forum, question_id
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
    case when votes.yes <> votes.no then votes.yes > votes.no end as is_confirmed,
    waits.is_answered,
    waits.is_accepted
from about
inner join questions using (forum, question_id)
inner join waits using (forum, question_id)
left join votes using (forum, question_id)
