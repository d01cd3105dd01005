-- The kinds that people gave to questions, with the texts of those that are loaded: what the
-- classifiers learn from and are tested by. Whatever else people say of kinds is united here.

with

told as (
    select
        forum,
        question_id,
        kind
    from reviews.labelled_questions
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
