-- Question: which release brought each performance bug to its users, and which one fixed it?
-- How to read: a row for each fixed performance bug, those with the longest exposure first. The first
-- affected release is the first with the commit that touched the fixed lines last, a rough measure; exposed
-- releases have that commit and not yet the fix. The outcome says what is missing.
-- Group: fixes
-- Words: release, version, tag, exposure, introduced, shipped, affected

select
    repository,
    number,
    outcome,
    first_affected_release,
    first_fixed_release,
    exposed_releases,
    round(exposure_days, 1) as exposure_days,
    round(days_to_release, 1) as days_to_release,
    stated_release
from marts.bug_releases
where is_performance
order by exposure_days desc nulls last, repository, number;
