with statuses as (
    select cause_category as cause, unnest([
        {'approach': 'profiler', 'status': profiler_status},
        {'approach': 'XLA', 'status': xla_status},
        {'approach': 'documentation', 'status': documentation_status}
    ], recursive := true)
    from replication.problems
    where profiler_status is not null
)

select approach, status, cause, count(*) as problems
from statuses
group by approach, status, cause
order by
    list_position(['profiler', 'XLA', 'documentation'], approach),
    list_position(['partly_solved', 'applied', 'not_solved', 'not_applied'], status),
    problems desc, cause
