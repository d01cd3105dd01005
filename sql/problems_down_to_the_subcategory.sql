-- Question: how many performance problems show which symptom, have which root cause, and come in or are
-- noticed at which stage?
-- How to read: one line a code, sub-categories below their category: problems and questions with it, and
-- its share of all problems. Of symptoms each problem counts by its first one, or for any of its two.
-- Group: forums
-- Words: symptom, root cause, stage

with

parameters as (
    select
        coalesce(getvariable('counted'), 'first_symptom') as counted -- one of first_symptom, any_symptom: first_symptom or any_symptom
)

select
    dataset,
    forum,
    aspect,
    code,
    problems,
    posts,
    round(percent, 1) as percent
from marts.problem_distribution as distribution
cross join parameters
where distribution.counted in (parameters.counted, 'every_problem')
order by
    dataset,
    forum,
    aspect,
    max(problems) over (partition by dataset, forum, aspect, category) desc,
    category,
    subcategory is not null,
    problems desc,
    subcategory;
