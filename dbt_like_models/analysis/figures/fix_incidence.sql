select
    tests.repository, event, days, n_performance, n_other,
    percent_performance, percent_performance_low as performance_low,
    percent_performance_high as performance_high,
    percent_other, percent_other_low as other_low, percent_other_high as other_high, p_value as p
from analysis.fix_incidence as tests
where tests.dataset = 'live' and is_listed(
    tests.repository,
    (select count(distinct repository) from analysis.fix_incidence where dataset = 'live')
)
order by event <> 'fixed', tests.repository = 'pooled', tests.repository, days
