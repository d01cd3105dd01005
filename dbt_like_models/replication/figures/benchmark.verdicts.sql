select 'of the reproduced problems', string_agg(
    printf(
        '%s %s %d of %d problems to which it was applied (not applied to %d)', approach,
        case when approach = 'documentation' then 'helped with' else 'solved in part' end,
        solved, tried, others
    ), '; ' order by list_position(['profiler', 'XLA', 'documentation'], approach)
)
from (
    select
        approach,
        coalesce(sum(problems) filter (where status in ('partly_solved', 'applied')), 0) as solved,
        coalesce(sum(problems) filter (where status <> 'not_applied'), 0) as tried,
        coalesce(sum(problems) filter (where status = 'not_applied'), 0) as others
    from figure_rows
    group by approach
)
having count(*) > 0
