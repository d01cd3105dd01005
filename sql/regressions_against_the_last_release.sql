-- Question: which performance bugs were regressions against the last release?
-- How to read: a row for each fixed performance bug that was reported before a newer release came out than the
-- first one with the commit that introduced it, or before any release had it; newest reports first. Release
-- managers accept such fixes late. The stated release is the one that the report names itself.
-- Group: fixes
-- Words: release, version, regression, backport, slower since

select
    repository,
    number,
    cast(opened_at at time zone 'UTC' as date) as opened,
    first_affected_release,
    first_fixed_release,
    stated_release,
    fix_copied_as is not null as is_backported
from marts.bug_releases
where is_performance and is_against_last_release
order by opened_at desc, repository, number;
