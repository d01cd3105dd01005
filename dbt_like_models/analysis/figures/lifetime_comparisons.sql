select
    tests.repository, introducer, role, introduced_performance, introduced_other,
    median_days_performance, median_days_other, cliffs_delta as estimate,
    case when is_too_few then 'too few' else magnitude end as magnitude, p_value as p,
    too_few_reason
from analysis.lifetime_comparisons as tests
where tests.dataset = 'live' and is_listed(
    tests.repository,
    (select count(distinct repository) from analysis.lifetime_comparisons where dataset = 'live')
)
order by role, tests.repository = 'pooled', tests.repository
