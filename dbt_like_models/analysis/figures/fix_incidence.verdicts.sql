select tests.repository, result
from analysis.fix_incidence as tests
where
    tests.dataset = 'live' and tests.event = 'fixed' and tests.days = 365
    and is_listed(
        tests.repository,
        (select count(distinct repository) from analysis.fix_incidence where dataset = 'live')
    )
order by tests.repository = 'pooled', tests.repository
