-- Question: of the performance problems that the study's authors reproduced, for which did a profiler, the
-- compiler XLA or the documentation help?
-- How to read: one line an approach and root cause: the reproduced problems, those to which the approach
-- was not applied, those that it did not solve, and those that it solved in part (of the documentation:
-- to which it applied). perf-assets replicate loads them, with benchmark.csv beside the problems.
-- Group: forums
-- Words: profiler, XLA, documentation

with

reproduced as (
    select * from replication.problems where profiler_status is not null
),

statuses as (
    select
        1 as place,
        'profiler' as approach,
        cause_category as cause,
        profiler_status as status
    from reproduced
    union all
    select
        2 as place,
        'XLA' as approach,
        cause_category as cause,
        xla_status as status
    from reproduced
    union all
    select
        3 as place,
        'documentation' as approach,
        cause_category as cause,
        documentation_status as status
    from reproduced
)

select
    approach,
    cause,
    count(*) as problems,
    count(*) filter (where status = 'not_applied') as not_applied,
    count(*) filter (where status = 'not_solved') as not_solved,
    count(*) filter (where status in ('partly_solved', 'applied')) as helped
from statuses
group by place, approach, cause
order by place, problems desc, cause;
