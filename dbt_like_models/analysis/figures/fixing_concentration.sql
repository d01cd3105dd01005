select
    repository, case when is_performance then 'performance' else 'other' end as kind,
    n, persons, half_group, gini, 100.0 * by_members_share as percent_by_members,
    100.0 * by_newcomers_share as percent_by_newcomers
from analysis.fixing_concentration
where dataset = 'live' and is_listed(
    repository,
    (select count(distinct repository) from analysis.fixing_concentration where dataset = 'live')
)
order by repository = 'pooled', repository, is_performance desc
