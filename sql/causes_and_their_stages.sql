-- Question: at which stage do performance problems of a root cause come in, and at which are they
-- noticed?
-- How to read: one line a root cause and pair of stages, each problem once: the problems, the questions
-- that hold them, and their share of the problems of that cause.
-- Group: forums
-- Words: symptom, problem

with

parameters as (
    select
        coalesce(getvariable('code_level'), 'category') as code_level -- one of category, subcategory: category or subcategory
),

crossings as (
    select *
    from marts.causes_by_stage
    inner join parameters using (code_level)
)

select
    dataset,
    forum,
    cause,
    introducing_stage,
    exposing_stage,
    problems,
    posts,
    round(100 * problems / sum(problems) over (partition by dataset, forum, cause), 1)
        as percent_of_cause
from crossings
order by dataset, forum, cause, problems desc, introducing_stage, exposing_stage;
