select
    questions.forum, questions.question_id, questions.title, questions.html_url, questions.month,
    questions.views, questions.score, waits.is_answered
from staging.questions as questions
inner join intermediate.question_answer_times as waits using (forum, question_id)
where
    questions.is_performance
    and questions.month = (
        select max(month) from staging.forum_months as loaded
        where loaded.forum = questions.forum
    )
order by questions.forum, questions.views desc nulls last, questions.question_id
