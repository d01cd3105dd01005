-- Question: how long do questions wait for an answer that is accepted, year by year?
-- How to read: one line for each tag set and year of asking, of the kind that is chosen. Hours are
-- the median of those with an accepted answer; the quartile after it tells what every fourth of them
-- waits longer than. Questions of the last year had less time to find one.
-- Group: forums
-- Words: stack overflow, answer, slow

with

parameters as (
    select
        coalesce(getvariable('kind'), 'all') as kind -- kind of intermediate.question_groups: kind of question, all for every question
)

select
    question_groups.forum,
    question_groups.tag_set,
    left(question_groups.month, 4) as year,
    count(*) as questions,
    round(100 * count(*) filter (where waits.is_accepted) / count(*), 1) as accepted_percentage,
    round(median(waits.hours_to_accepted), 1) as median_hours,
    round(quantile_cont(waits.hours_to_accepted, 0.75), 1) as hours_of_the_slowest_quarter
from intermediate.question_groups as question_groups
inner join intermediate.question_answer_times as waits using (forum, question_id)
cross join parameters
where question_groups.kind = parameters.kind
group by question_groups.forum, question_groups.tag_set, year
order by question_groups.forum, question_groups.tag_set, year;
