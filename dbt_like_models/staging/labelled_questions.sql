-- The kinds that people gave to questions, with the texts of those that are loaded: what the
-- classifiers learn from and are tested by. They come from files of classified questions and from
-- review sheets, of which a kind counts that more than half of the raters gave who gave any.

with

verdicts as (
    select distinct
        forum,
        question_id,
        rater,
        kinds
    from staging.question_verdicts
    where array_length(kinds) > 0
),

votes as (
    select
        forum,
        question_id,
        rater,
        unnest(kinds) as kind
    from verdicts
),

raters as (
    select
        forum,
        question_id,
        count(rater) as raters
    from verdicts
    group by forum, question_id
),

counted as (
    select
        forum,
        question_id,
        kind,
        count(rater) as votes
    from votes
    group by forum, question_id, kind
),

told as (
    select
        forum,
        question_id,
        kind
    from reviews.labelled_questions
    union
    select
        forum,
        question_id,
        counted.kind
    from counted
    inner join raters using (forum, question_id)
    where
        2 * counted.votes > raters.raters
        -- Kinds of crash are a part of program crash, not kinds to learn.
        and counted.kind not in ('shape_inconsistency', 'numerical_error', 'cpu_gpu_incompatibility')
),

questions as (
    select * from raw.questions
)

select
    forum,
    question_id,
    told.kind,
    questions.created_at as asked_at,
    questions.title,
    questions.text,
    questions.code
from told
inner join questions using (forum, question_id)
