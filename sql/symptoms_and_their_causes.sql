-- Question: what do users see when something is slow, and what is behind it?
-- How to read: one line a symptom and root cause: the problems in which both were found, the questions
-- that hold them, and their share of the problems with that symptom. A problem may have two symptoms: by
-- any symptom it counts for each, by first symptom once.
-- Group: forums
-- Words: slow, memory, problem

with

parameters as (
    select
        coalesce(getvariable('counted'), 'first_symptom') as counted, -- one of first_symptom, any_symptom: first_symptom or any_symptom
        coalesce(getvariable('code_level'), 'category') as code_level -- one of category, subcategory: category or subcategory
),

crossings as (
    select *
    from marts.symptoms_by_cause
    inner join parameters using (counted, code_level)
)

select
    dataset,
    forum,
    symptom,
    cause,
    problems,
    posts,
    round(100 * problems / sum(problems) over (partition by dataset, forum, symptom), 1)
        as percent_of_symptom
from crossings
order by dataset, forum, symptom, problems desc, cause;
