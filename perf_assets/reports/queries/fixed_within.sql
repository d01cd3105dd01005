select
    tests.repository, days,
    coalesce(
        printf('%.1f %%', percent_performance), printf('too few (%d)', events_performance)
    )
        || coalesce(printf(' [%.1f, %.1f]', percent_performance_low, percent_performance_high), '')
        as performance,
    coalesce(printf('%.1f %%', percent_other), printf('too few (%d)', events_other))
        || coalesce(printf(' [%.1f, %.1f]', percent_other_low, percent_other_high), '') as other,
    tests.p_value as p, family.p_value_holm as p_adjusted
from analysis.fix_incidence as tests
left join analysis.adjusted_tests as family
    on family.dataset = tests.dataset
    and family.repository = tests.repository
    and family.source = 'fix_incidence'
    and family.result_of = tests.event
where
    tests.dataset = 'live' and tests.event = 'fixed'
    and is_listed(
        tests.repository,
        (select count(distinct repository) from analysis.fix_incidence where dataset = 'live')
    )
order by tests.repository = 'pooled', tests.repository, days
