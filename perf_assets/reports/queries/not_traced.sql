with

reasons as (
    select
        repository,
        case
            when starts_with(not_traced, 'git cannot read') then 'git cannot read an object'
            when contains(not_traced, ' is larger than ') then 'a file is too large'
            else not_traced
        end as reason,
        count(*) as commits
    from details.commit_metrics
    where not_traced is not null and not starts_with(not_traced, 'a merge commit')
    group by all
),

totals as (
    select repository, count(*) as commits from details.commit_metrics group by repository
)

select
    repository || printf(
        ': %d of %d fix commits are not traced to the commits that introduced their bugs: ',
        sum(reasons.commits)::bigint, any_value(totals.commits)
    ) || string_agg(
        reasons.commits || ' (' || reason || ')', ', ' order by reasons.commits desc, reason
    )
from reasons
inner join totals using (repository)
group by repository
order by repository
