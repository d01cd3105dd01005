select
    repository, number, opened_at, first_affected_release, affected_at, first_fixed_release,
    exposed_releases, exposure_days, days_to_release, stated_release
from marts.bug_releases
where is_performance and is_against_last_release
order by opened_at desc, repository, number
