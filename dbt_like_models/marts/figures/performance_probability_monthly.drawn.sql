with quarters as (
    select
        repository, strftime(date_trunc('quarter', (month || '-01')::date), '%Y-%m') as month,
        sum(bug_reports) as n, sum(labelled) as labelled, sum(classified) as classified,
        sum(corrected_performance_bugs) as corrected
    from marts.performance_probability_monthly
    where dataset = 'live'
    group by all
    having n >= 10
)

select repository, month, 'rule' as color, 100.0 * labelled / n as value
from quarters
union all
select repository, month, 'classifier', 100.0 * classified / n
from quarters
union all
select repository, month, 'corrected by verdicts', 100.0 * corrected / n
from quarters
where corrected is not null
order by repository, month, color
