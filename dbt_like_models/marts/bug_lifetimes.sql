-- How long each bug with a fix lived before it was reported, from the commits that last touched the
-- lines its fix takes away (SZZ). A rough measure, as fixes are tangled with other changes, and a fix
-- that only adds lines has no origin. Measured on 278 fixes in 143 clones whose developers say what
-- brought the bug (the oracle of Rosa et al., ICSE 2021; tests/benchmarks/szz.py): the latest
-- candidate is right in 69 per cent [62 to 75] and found for 55 [49 to 60], in 76 and 60 per cent
-- where the report follows at once; the earliest is right in 52 [45 to 59] and found for 41 [36 to
-- 47], of all candidates 41 per cent are. The most probable candidate of
-- intermediate.bug_introductions is not measurably better than the latest (right in 156 to 152 of the
-- fixes), so that the latest is taken. What became of each fix stands in its row, so that the
-- coverage can be counted.

with

bug_reports as (
    select * from staging.bug_reports
),

commits as (
    select * from intermediate.counted_fixes where dataset = 'live'
),

details as (
    select
        repository,
        sha,
        sha as inspected_sha,
        removed_lines
    from details.commit_metrics
),

introductions as (
    select * from intermediate.bug_introductions
),

fixes as (
    select
        commits.dataset,
        repository,
        commits.number,
        count(sha) as fix_commits,
        count(details.inspected_sha) as inspected_commits,
        count(details.removed_lines) as traced_commits,
        cast(coalesce(sum(details.removed_lines), 0) as bigint) as removed_lines
    from commits
    left join details using (repository, sha)
    group by commits.dataset, repository, commits.number
),

origins as (
    select
        dataset,
        repository,
        number,
        count(distinct original_sha) filter (where is_candidate) as introducing_commits,
        count(distinct original_sha) filter (where not is_candidate) as rejected_commits,
        cast(sum(lines) filter (where is_candidate) as bigint) as introduced_lines,
        max(introduced_at) filter (where is_candidate) as introduced_at,
        min(introduced_at) filter (where is_candidate) as first_introduced_at
    from introductions
    group by dataset, repository, number
),

joined as (
    select
        dataset,
        repository,
        number,
        bug_reports.month,
        bug_reports.is_performance,
        bug_reports.opened_at,
        fixes.fix_commits,
        fixes.inspected_commits,
        fixes.traced_commits,
        fixes.removed_lines,
        coalesce(origins.introduced_lines, 0) as introduced_lines,
        coalesce(origins.introducing_commits, 0) as introducing_commits,
        coalesce(origins.rejected_commits, 0) as rejected_commits,
        origins.introduced_at,
        origins.first_introduced_at
    from bug_reports
    inner join fixes using (dataset, repository, number)
    left join origins using (dataset, repository, number)
),

told as (
    select
        *,
        case
            when introducing_commits > 0 then 'introduced'
            when inspected_commits < fix_commits then 'not_looked_at'
            when traced_commits < fix_commits then 'not_traced'
            when removed_lines = 0 then 'only_adds'
            else 'no_candidate'
        end as outcome
    from joined
),

-- Nobody looked: that is no zero.
lifetimes as (
    select
        dataset,
        repository,
        number,
        month,
        is_performance,
        opened_at,
        outcome,
        fix_commits,
        case when outcome <> 'not_looked_at' then traced_commits end as traced_commits,
        case when outcome <> 'not_looked_at' then removed_lines end as removed_lines,
        case when outcome <> 'not_looked_at' then introduced_lines end as introduced_lines,
        case when outcome <> 'not_looked_at' then introducing_commits end as introducing_commits,
        case when outcome <> 'not_looked_at' then rejected_commits end as rejected_commits,
        introduced_at,
        first_introduced_at,
        (epoch_us(opened_at) - epoch_us(introduced_at)) / 86400000000 as lifetime_days,
        (epoch_us(opened_at) - epoch_us(first_introduced_at)) / 86400000000
            as longest_lifetime_days
    from told
)

select * from lifetimes
