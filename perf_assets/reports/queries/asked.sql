with asked as (
    select
        questions.forum || ':' || sets.tag_set as repository, labels.is_performance,
        questions.accepted_answer_id is not null as is_accepted
    from raw.questions as questions
    cross join unnest(questions.tag_sets) as sets(tag_set)
    inner join labels.performance_questions as labels using (forum, question_id)
)
select
    repository, case when is_performance then 'performance' else 'other' end as questions,
    count(*) as asked, count(*) filter (where is_accepted) as accepted,
    round(100 * count(*) filter (where is_accepted) / count(*), 1) as percent
from asked
group by repository, is_performance
order by repository, is_performance desc
