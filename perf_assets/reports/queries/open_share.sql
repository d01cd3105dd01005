select
    tests.repository, slope as points_a_year, slope_from_reports as by_reports,
    slope_from_closing as by_closing, tests.p_value as p, family.p_value_holm as p_adjusted
from analysis.open_share_changes as tests
left join analysis.adjusted_tests as family
    on family.dataset = tests.dataset
    and family.repository = tests.repository
    and family.source = 'open_share_changes'
    and family.result_of = 'slope_from_closing'
where tests.dataset = 'live' and not tests.is_too_few
order by tests.repository
