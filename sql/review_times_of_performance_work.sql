-- Question: is performance work reviewed and merged as fast as other bug fixes?
-- How to read: one line a repository and year of opening, with medians of both kinds. Performance work is
-- linked to a performance bug, or labelled as a fix or optimisation; the others are linked to other bug
-- reports. Hours count from opening to the first review of somebody else, and to the merge; lines are
-- additions and deletions.
-- Group: fixes
-- Words: pull requests, review, reviewer, merge, latency, waiting

with

parameters as (
    select
        coalesce(getvariable('repository'), '%') as repository -- repositories of meta.repositories: of this repository (% stands for any text)
),

kinds as (
    select
        repository,
        extract(year from opened_at) as year,
        is_performance_bug or work in ('fix', 'optimisation') as is_work,
        hours_to_first_review,
        hours_to_merge,
        size
    from marts.pull_request_times
    where
        (is_bug or work in ('fix', 'optimisation'))
        and repository like (select parameters.repository from parameters)
)

select
    repository,
    year,
    count(*) filter (where is_work) as performance_work,
    count(*) filter (where not is_work) as other_fixes,
    round(median(hours_to_first_review) filter (where is_work), 1) as work_hours_to_review,
    round(median(hours_to_first_review) filter (where not is_work), 1) as other_hours_to_review,
    round(median(hours_to_merge) filter (where is_work), 1) as work_hours_to_merge,
    round(median(hours_to_merge) filter (where not is_work), 1) as other_hours_to_merge,
    median(size) filter (where is_work) as work_lines,
    median(size) filter (where not is_work) as other_lines
from kinds
group by repository, year
order by repository, year;
