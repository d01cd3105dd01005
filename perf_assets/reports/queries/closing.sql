with rates as (
    select
        dataset, repository, 'rate_ratio' as result_of,
        rate_ratio as ratio, rate_ratio_low as low, rate_ratio_high as high,
        rate_ratio_p_value as p_value
    from analysis.closing_rates
    where kind = 'performance_against_other'
    union all
    select
        dataset, repository, 'rate_ratio_per_year',
        rate_ratio_per_year, rate_ratio_per_year_low, rate_ratio_per_year_high, p_value
    from analysis.closing_rates
    where kind = 'performance_against_other'
)

select
    tests.repository,
    case tests.result_of when 'rate_ratio' then 'at equal age' else 'change a year' end as compared,
    printf('x %.2f [%.2f, %.2f]', ratio, low, high) as times_as_often,
    tests.p_value as p, family.p_value_holm as p_adjusted
from rates as tests
left join analysis.adjusted_tests as family
    on family.dataset = tests.dataset
    and family.repository = tests.repository
    and family.source = 'closing_rates'
    and family.result_of = tests.result_of
where tests.dataset = 'live' and tests.ratio is not null
order by tests.repository, tests.result_of
