-- The fix of each bug report as a whole: how many commits, and how large all of them together, where
-- git can read each. Of
-- a published fix the published total counts, which need not be the sum of its commits.

with

issues as (
    select * from staging.fixed_issues
),

commits as (
    select * from intermediate.counted_fixes
),

counted as (
    select
        dataset,
        repository,
        number,
        count(sha) as commits,
        case when count(size) = count(sha) then cast(sum(size) as bigint) end as size
    from commits
    group by dataset, repository, number
),

fixes as (
    select
        dataset,
        repository,
        number,
        coalesce(counted.commits, issues.published_commits) as fix_commits,
        coalesce(issues.published_size, counted.size) as fix_size
    from issues
    left join counted using (dataset, repository, number)
)

select * from fixes
where fix_commits is not null
