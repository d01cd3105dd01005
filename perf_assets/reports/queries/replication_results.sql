with results as (
    select
        repository,
        case series
            when 'opened' then 1 when 'newly_fixed' then 2 when 'open' then 3 else 4
        end + case when method = 'cox_stuart' then 0.5 else 0 end as location,
        'share among ' || case series
            when 'opened' then 'reports opened in a month'
            when 'newly_fixed' then 'bugs newly fixed in a month'
            when 'open' then 'open bug reports, cumulative'
            else 'fixed bugs, cumulative'
        end as what,
        result
    from analysis.trend_tests
    where
        dataset = 'replication'
        and (method in ('binomial_regression', 'permutation')
            or (method = 'cox_stuart' and series in ('open', 'fixed')))
    union all
    select repository, 5, 'why the open share changes', result
    from analysis.open_share_changes
    where dataset = 'replication'
    union all
    select repository, 6, 'how often open bugs are closed', result
    from analysis.closing_rates
    where dataset = 'replication' and kind = 'performance_against_other'
    union all
    select repository, 7, 'how soon bugs are fixed', result
    from analysis.fix_incidence
    where dataset = 'replication' and event = 'fixed' and days = 365
    union all
    select
        repository,
        7 + list_position(
            ['fix_time_days', 'fix_size', 'comments', 'commentators', 'hours_to_first_comment'],
            metric
        ),
        replace(metric, '_', ' '),
        result
    from analysis.effect_sizes
    where dataset = 'replication'
)

select repository, what, result
from results
where
    is_listed(
        repository,
        (select count(distinct repository) from analysis.effect_sizes where dataset = 'replication')
    )
order by repository = 'pooled', repository, location
