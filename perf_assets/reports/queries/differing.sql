with differing as (
    select series as result_of, heterogeneity_p_value as p
    from analysis.trend_tests
    where dataset = 'live' and method = 'binomial_regression'
    union all
    select distinct 'being ' || event, heterogeneity_p_value
    from analysis.fix_incidence
    where dataset = 'live' and event = 'fixed'
    union all
    select metric, heterogeneity_p_value
    from analysis.group_comparisons
    where dataset = 'live'
)

select 'pooled: the repositories differ from each other in '
    || string_agg(printf('%s (p = %.2g)', result_of, p), ', ' order by p)
    || '; read these for each repository alone'
from differing
where p < 0.05
having count(p) > 0
