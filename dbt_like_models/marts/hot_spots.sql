-- Where performance bugs are fixed again and again: each file, and each method, that the counted fixes of
-- performance bugs changed, how often, how much else was changed there between the first and the last
-- of them, and how old the lines were that they took away. Tests and documentation are left out. A file
-- that was renamed counts under each of its names.

with

bug_reports as (
    select * from staging.bug_reports where dataset = 'live'
),

fixes as (
    select
        repository,
        number,
        sha,
        commits.committed_at,
        bug_reports.is_performance
    from intermediate.counted_fixes as commits
    inner join bug_reports using (dataset, repository, number)
),

files as (
    select
        repository,
        'file' as code_unit,
        areas.path as name,
        areas.path,
        areas.area,
        fixes.number,
        sha,
        fixes.committed_at,
        fixes.is_performance
    from fixes
    inner join links.fix_areas as areas using (repository, sha)
    where not areas.is_test_or_documentation
),

-- A method is path::signature.
called as (
    select
        repository,
        sha,
        unnest(changed_methods) as name
    from details.commit_metrics
    where changed_methods is not null
),

methods as (
    select
        repository,
        'method' as code_unit,
        called.name,
        files.path,
        files.area,
        files.number,
        sha,
        files.committed_at,
        files.is_performance
    from called
    inner join files using (repository, sha)
    where starts_with(called.name, files.path || '::')
),

counted as (
    select
        repository,
        code_unit,
        name,
        max(path) as path,
        max(area) as area,
        count(distinct case when is_performance then number end) as performance_fixes,
        count(distinct number) as fixes,
        min(case when is_performance then committed_at end) as first_fixed_at,
        max(case when is_performance then committed_at end) as last_fixed_at
    from (
        select * from files
        union all
        select * from methods
    ) as units
    group by repository, code_unit, name
),

hot as (
    select * from counted where performance_fixes > 0
),

fixing as (
    select distinct
        repository,
        path,
        sha,
        committed_at
    from files
    where is_performance
),

other_commits as (
    select
        repository,
        path,
        sha,
        commits.committed_at,
        changed.additions + changed.deletions as lines
    from raw.commit_files as changed
    inner join raw.commits as commits using (repository, sha)
    anti join fixing using (repository, path, sha)
    where not commits.is_merge
),

churn as (
    select
        repository,
        path,
        count(sha) as commits_between,
        cast(sum(other_commits.lines) as bigint) as churn_between
    from hot
    inner join other_commits using (repository, path)
    where
        hot.code_unit = 'file'
        and other_commits.committed_at > hot.first_fixed_at
        and other_commits.committed_at < hot.last_fixed_at
    group by repository, path
),

looked_at as (
    select
        repository,
        sha,
        sha as found_sha
    from details.commit_metrics
),

taken as (
    select
        repository,
        path,
        looked_at.found_sha,
        origins.lines,
        greatest(epoch_us(fixing.committed_at) - epoch_us(origins.introduced_at), 0)
            / 86400000000 as age
    from fixing
    left join looked_at using (repository, sha)
    left join details.introducing_commits as origins using (repository, sha, path)
),

-- A number of some of the fixes would pass for that of all.
ages as (
    select
        repository,
        path,
        cast(coalesce(sum(lines), 0) as bigint) as removed_lines,
        -- Decimals, as sums of floating numbers depend on the order of rows.
        cast(sum(cast(lines * age as decimal(38, 14))) as double) / nullif(sum(lines), 0)
            as mean_age_of_removed_lines_days
    from taken
    group by repository, path
    having count(*) = count(found_sha)
),

spots as (
    select
        'live' as dataset,
        repository,
        hot.code_unit,
        hot.name,
        path,
        hot.area,
        hot.performance_fixes,
        hot.fixes,
        hot.first_fixed_at,
        hot.last_fixed_at,
        case when hot.code_unit = 'file' then coalesce(churn.commits_between, 0) end as commits_between,
        case when hot.code_unit = 'file' then coalesce(churn.churn_between, 0) end as churn_between,
        case when hot.code_unit = 'file' then ages.removed_lines end as removed_lines,
        case when hot.code_unit = 'file' then ages.mean_age_of_removed_lines_days end
            as mean_age_of_removed_lines_days
    from hot
    left join churn using (repository, path)
    left join ages using (repository, path)
)

select * from spots
