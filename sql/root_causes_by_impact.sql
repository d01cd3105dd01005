-- Question: what causes performance bugs, and what do they cost, speed or memory (Table III)?
-- How to read: one line a root cause, its sub-categories below it, most frequent first; a bug with a
-- sub-category counts in both lines. Live bugs are those that most raters take for performance bugs and
-- give one cause; published ones have no impact. There is nothing before somebody judged.
-- Group: fixes
-- Words: memory, speed, category

select
    dataset,
    repository,
    cause,
    bugs,
    round(percent, 1) as percent,
    speed,
    memory,
    speed_and_memory
from marts.root_causes
order by
    dataset,
    repository = 'pooled' desc,
    repository,
    max(bugs) over (partition by dataset, repository, category) desc,
    category,
    subcategory nulls first;
