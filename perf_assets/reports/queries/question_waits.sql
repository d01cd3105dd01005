with grouped as (
    -- All tag sets of a forum together, each question once in each of its kinds; where there are
    -- kinds, those alone.
    select distinct forum, question_id, kind
    from intermediate.question_groups
    qualify kind <> 'all' or count(*) filter (where kind <> 'all') over (partition by forum) = 0
)

select
    forum, grouped.kind, times.is_accepted,
    case when times.is_accepted then times.hours_to_accepted else times.hours_watched end as hours
from grouped
inner join intermediate.question_answer_times as times using (forum, question_id)
