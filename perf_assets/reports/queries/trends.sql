select
    tests.repository, tests.series, split_part(tests.method, '_', -1) as test,
    case
        when odds_ratio_per_year is not null then printf(
            'odds x %.2f a year [%.2f, %.2f]',
            odds_ratio_per_year, odds_ratio_low, odds_ratio_high
        )
        when is_too_few then 'too few'
        when tests.method = 'permutation' then printf('%+.2f points a year', tests.statistic)
        else '-'
    end as result,
    tests.p_value as p, family.p_value_holm as p_adjusted
from analysis.trend_tests as tests
left join analysis.adjusted_tests as family
    on family.dataset = tests.dataset
    and family.repository = tests.repository
    and family.source = 'trend_tests'
    and family.result_of = tests.series
where tests.dataset = 'live' and tests.method = family.method
order by
    tests.repository = 'pooled', tests.repository,
    list_position(['opened', 'newly_fixed', 'open', 'fixed'], tests.series)
