-- Of each series the test by which it is read, its p-value adjusted for all headline tests.
select
    tests.repository, tests.series, tests.method,
    case when tests.odds_ratio_per_year is null then tests.statistic end as points_a_year,
    tests.odds_ratio_per_year as odds_a_year, tests.odds_ratio_low as low,
    tests.odds_ratio_high as high, tests.p_value as p, family.p_value_holm as p_adjusted,
    tests.power, tests.is_too_few, tests.result,
    case
        when tests.is_too_few then 'too few'
        when family.p_value_holm is null then 'not tested'
        when family.p_value_holm >= 0.05 then 'no change shown'
        when coalesce(tests.odds_ratio_per_year - 1, tests.statistic) > 0 then 'rises'
        else 'falls'
    end as verdict
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
