with grouped as (
    -- All tag sets of a forum together, each question once in each of its kinds; where there are
    -- kinds, those alone.
    select distinct forum, question_id, kind
    from intermediate.question_groups
    qualify kind <> 'all' or count(*) filter (where kind <> 'all') over (partition by forum) = 0
),

waits as (
    select
        forum, grouped.kind, times.is_accepted,
        case when times.is_accepted then times.hours_to_accepted else times.hours_watched end
            as hours
    from grouped
    inner join intermediate.question_answer_times as times using (forum, question_id)
)

select
    forum, kind, count(*) as questions,
    count(*) filter (where is_accepted) as accepted,
    count(*) filter (where not is_accepted) as never_accepted,
    quantile_cont(hours, 0.25) filter (where is_accepted) as lower_quartile_hours,
    quantile_cont(hours, 0.5) filter (where is_accepted) as median_hours,
    quantile_cont(hours, 0.75) filter (where is_accepted) as upper_quartile_hours
from waits
group by forum, kind
order by forum, never_accepted / questions desc, kind
