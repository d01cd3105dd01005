-- Question: which questions about performance do most people look at, and nobody answered?
-- How to read: what users of the frameworks wait for, the most viewed first; a maintainer's list of
-- pages to write. They have a stem of performance: candidates that nobody need have checked. Closed questions are left out: they cannot be answered.
-- Group: forums
-- Words: stack overflow, open

with

parameters as (
    select
        coalesce(getvariable('since'), '2008-01') as since -- first month of staging.questions: first month of asking, as YYYY-MM
)

select
    questions.forum,
    questions.title,
    questions.views,
    questions.score,
    questions.month,
    questions.html_url
from staging.questions as questions
inner join intermediate.question_answer_times as waits using (forum, question_id)
cross join parameters
where
    questions.is_performance
    and not waits.is_answered
    and questions.closed_at is null
    and questions.month >= parameters.since
order by questions.views desc nulls last, questions.forum, questions.question_id
limit 50;
