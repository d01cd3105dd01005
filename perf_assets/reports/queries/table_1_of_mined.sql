select
    repository,
    case is_performance when true then 'performance' when false then 'other' else 'total' end
        as bugs,
    cast(sum(open) as bigint) as open, cast(sum(closed) as bigint) as closed,
    cast(sum(fixed) as bigint) as fixed
from (
    from marts.dataset_breakdown where dataset = 'live'
    union all by name
    select dataset, 'pooled' as repository, is_performance, open, closed, fixed
    from marts.dataset_breakdown
    where dataset = 'live'
    qualify count(*) over () > 2
)
group by grouping sets ((repository, is_performance), (repository))
order by repository = 'pooled', repository, bugs = 'total', bugs = 'other'
