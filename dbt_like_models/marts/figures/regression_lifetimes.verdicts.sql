with shares as (
    select
        repository, count(*) as n, count(reported_in) as reported,
        count(recovered_at) as recovered, median(days_to_report) as days_to_report,
        median(days_to_recovery) as days_to_recovery
    from marts.regression_lifetimes
    where regression_state <> 'intended'
    group by repository
),

silences as (
    select
        repository, count(distinct machine) filter (where is_machine) as machines,
        count(distinct machine) filter (where not is_machine) as machines_in_part
    from marts.benchmark_silences
    group by repository
)

select repository, printf(
    '%s measured by benchmarks: %s, and %s.%s',
    case when n = 1 then '1 regression was' else n || ' regressions were' end,
    case
        when reported = 0 then 'issues tell of none of them'
        else printf(
            'issues tell of %d of them, in the median %.0f days later', reported, days_to_report
        )
    end,
    case
        when recovered = 0 then 'none is back to the level before'
        else printf(
            '%d came back to within 5 %% of the level before, in the median after %.0f days',
            recovered, days_to_recovery
        )
    end,
    case when coalesce(machines, 0) = 0 then '' else printf(
        ' %d machines have given no results for longer than usual.', machines
    ) end || case when coalesce(machines_in_part, 0) = 0 then '' else printf(
        ' On %d machines single benchmarks fell silent.', machines_in_part
    ) end
)
from shares
left join silences using (repository)
order by repository
