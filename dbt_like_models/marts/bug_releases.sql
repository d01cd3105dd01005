-- Which release brought each bug to its users, and which one took it away: the first release with the
-- latest commit that may have introduced it (SZZ, see marts.bug_lifetimes), and the first one with the
-- last commit of its fix, each by itself or by a copy on a branch of releases. Releases are counted by
-- what they contain, not by their dates, so that a release of an older branch counts as it is. The
-- latest candidate is the right one in 67 per cent: compare groups, do not trust single rows.

with

bug_reports as (
    select * from staging.bug_reports
),

commits as (
    select * from intermediate.counted_fixes where dataset = 'live'
),

candidates as (
    select * from intermediate.bug_introductions where is_candidate
),

looked_up as (
    select * from details.commit_releases
),

last_fixes as (
    select
        dataset,
        repository,
        number,
        max_by(sha, (committed_at, sha)) as fix_sha,
        max(committed_at) as fix_committed_at
    from commits
    group by dataset, repository, number
),

released_fixes as (
    select
        repository,
        fix_sha,
        sha as looked_up_sha,
        first_release as first_fixed_release,
        released_at as fixed_release_at,
        copied_as as fix_copied_as
    from looked_up
    where sha = fix_sha
),

fixes as (
    select
        dataset,
        repository,
        number,
        fix_sha,
        last_fixes.fix_committed_at,
        released_fixes.looked_up_sha,
        released_fixes.first_fixed_release,
        released_fixes.fixed_release_at,
        released_fixes.fix_copied_as
    from last_fixes
    left join released_fixes using (repository, fix_sha)
),

latest as (
    select
        dataset,
        repository,
        number,
        max_by(introducing_sha, (introduced_at, introducing_sha)) as introducing_sha,
        max(introduced_at) as introduced_at
    from candidates
    group by dataset, repository, number
),

traced as (
    select distinct
        dataset,
        repository,
        number,
        candidates.sha as fix_sha,
        introducing_sha as sha
    from candidates
    inner join latest using (dataset, repository, number, introducing_sha)
),

-- The first release is the same for each fix that names the commit.
introductions as (
    select
        dataset,
        repository,
        number,
        max(looked_up.first_release) as first_release,
        max(looked_up.released_at) as released_at,
        max(looked_up.next_release_at) as next_release_at,
        max(looked_up.exposed_releases) as exposed_releases
    from traced
    inner join looked_up using (repository, fix_sha, sha)
    group by dataset, repository, number
),

with_releases as (
    select
        repository,
        repository as releasing_repository
    from looked_up
    where looked_up.first_release is not null
    union
    select
        repository,
        repository as releasing_repository
    from raw.releases as releases
    where releases.release_kind in ('final', 'post')
),

stated as (
    select
        'live' as dataset,
        repository,
        number,
        stated_release,
        unaffected_release
    from details.stated_releases
),

joined as (
    select
        dataset,
        repository,
        number,
        bug_reports.month,
        bug_reports.is_performance,
        bug_reports.opened_at,
        case
            when fixes.looked_up_sha is null then 'not_looked_at'
            when with_releases.releasing_repository is null then 'no_releases'
            when fixes.first_fixed_release is null then 'not_released'
            when latest.introducing_sha is null then 'no_introducing_commit'
            when coalesce(introductions.exposed_releases, 0) = 0 then 'never_released'
            else 'released'
        end as outcome,
        latest.introducing_sha,
        latest.introduced_at,
        introductions.first_release,
        introductions.released_at,
        introductions.next_release_at,
        introductions.exposed_releases,
        fixes.fix_sha,
        fixes.fix_committed_at,
        fixes.first_fixed_release,
        fixes.fixed_release_at,
        fixes.fix_copied_as,
        stated.stated_release,
        stated.unaffected_release
    from bug_reports
    inner join fixes using (dataset, repository, number)
    left join latest using (dataset, repository, number)
    left join introductions using (dataset, repository, number)
    left join with_releases using (repository)
    left join stated using (dataset, repository, number)
),

releases as (
    select
        dataset,
        repository,
        number,
        month,
        is_performance,
        opened_at,
        outcome,
        introducing_sha,
        introduced_at,
        case when exposed_releases > 0 then first_release end as first_affected_release,
        case when exposed_releases > 0 then released_at end as affected_at,
        fix_sha,
        fix_committed_at,
        first_fixed_release,
        fixed_release_at,
        fix_copied_as,
        exposed_releases,
        case
            when exposed_releases > 0 and fixed_release_at is not null then greatest(
                (epoch_us(fixed_release_at) - epoch_us(released_at)) / 86400000000, 0
            )
        end as exposure_days,
        case
            when fixed_release_at is not null then greatest(
                (epoch_us(fixed_release_at) - epoch_us(fix_committed_at)) / 86400000000, 0
            )
        end as days_to_release,
        stated_release,
        unaffected_release,
        case
            when
                introducing_sha is not null and outcome not in ('not_looked_at', 'no_releases')
                then next_release_at is null or opened_at < next_release_at
        end as is_against_last_release
    from joined
)

select * from releases
