with groups as (
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
)

select *, wilson_low(performance, asked) as low, wilson_high(performance, asked) as high
from (
    select
        repository, sum(asked) as asked,
        coalesce(sum(asked) filter (where questions = 'performance'), 0) as performance,
        coalesce(sum(asked) filter (where questions = 'other'), 0) as others,
        coalesce(sum(accepted) filter (where questions = 'performance'), 0) as accepted,
        coalesce(sum(accepted) filter (where questions = 'other'), 0) as others_accepted
    from groups
    group by repository
)
order by repository
