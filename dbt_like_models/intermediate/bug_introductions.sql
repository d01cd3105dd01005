-- SZZ for each bug report: the commits that last touched the lines which its fix takes away, whether
-- they can have brought the bug, and how probable that is. Who touched the lines after the report
-- cannot; neither a merge nor a reformatting that the project lists brings anything of its own, nor
-- does a revert, whose lines are older, unless nothing else is found. A copy (git cherry-pick) and
-- what brings a reverted commit again count as the first commit. A fix that takes a commit back has
-- this one as its only candidate, whatever lines are traced.
--
-- The probability is 1 where the fix says so: it takes the candidate back, or its message has the
-- candidate's hash. Else it is logistic in the share of the traced lines and the age of the candidate.
-- The numbers were fitted to fixes whose developers name the commit, without reading the message:
-- docs/accuracy.md says how often it is right on projects to which they were not fitted.

with

commits as (
    select * from intermediate.counted_fixes where dataset = 'live'
),

bug_reports as (
    select * from staging.bug_reports
),

known as (
    select
        repository,
        sha,
        committed_at,
        message,
        is_merge
    from raw.commits
),

inspected as (
    select
        repository,
        sha
    from details.commit_metrics
),

relations as (
    select * from links.commit_relations
),

reverting as (
    select
        repository,
        sha,
        relations.related_sha as introducing_sha
    from relations
    semi join commits using (repository, sha)
    semi join inspected using (repository, sha)
    where relations.relation = 'reverts'
),

changed as (
    select
        repository,
        sha,
        path
    from raw.commit_files
),

changed_before as (
    select
        repository,
        sha as introducing_sha,
        path
    from raw.commit_files
),

-- What the fixes take back, in the files that both change.
taken_back as (
    select distinct
        repository,
        sha,
        path,
        introducing_sha,
        path as taken_path
    from reverting
    inner join changed using (repository, sha)
    inner join changed_before using (repository, introducing_sha, path)
),

traced as (
    select
        repository,
        sha,
        path,
        introducing_sha,
        introduced_at,
        lines,
        is_merge,
        is_ignored
    from details.introducing_commits
),

known_origins as (
    select
        repository,
        sha as introducing_sha,
        committed_at,
        is_merge
    from known
),

back_alone as (
    select
        repository,
        sha,
        path,
        introducing_sha
    from taken_back
    anti join traced using (repository, sha, path, introducing_sha)
),

origins as (
    select * from traced
    union all
    select
        repository,
        sha,
        path,
        introducing_sha,
        known_origins.committed_at as introduced_at,
        0 as lines,
        known_origins.is_merge,
        false as is_ignored
    from back_alone
    inner join known_origins using (repository, introducing_sha)
),

-- The commit that a copy counts as, and one that brings a reverted commit again.
originals as (
    select
        relations.repository,
        relations.sha as introducing_sha,
        relations.related_sha as original_sha,
        known.committed_at as original_at,
        row_number() over (
            partition by relations.repository, relations.sha
            order by known.committed_at, relations.related_sha
        ) as place
    from relations
    inner join known
        on relations.repository = known.repository and relations.related_sha = known.sha
    where relations.relation in ('copies', 'restores')
),

reverts as (
    select
        repository,
        sha as introducing_sha,
        count(related_sha) as reverted_commits
    from relations
    where relation = 'reverts'
    group by repository, sha
),

reverting_fixes as (
    select
        repository,
        sha,
        count(introducing_sha) as taken_back_commits
    from taken_back
    group by repository, sha
),

introductions as (
    select
        dataset,
        repository,
        number,
        sha,
        path,
        introducing_sha,
        coalesce(originals.original_sha, introducing_sha) as original_sha,
        coalesce(originals.original_at, origins.introduced_at) as introduced_at,
        origins.lines,
        origins.is_merge,
        origins.is_ignored,
        coalesce(originals.original_at, origins.introduced_at) > bug_reports.opened_at
            as is_after_report,
        reverts.reverted_commits is not null and originals.original_sha is null as is_revert,
        taken_back.taken_path is not null as is_taken_back,
        coalesce(contains(lower(fixes.message), left(introducing_sha, 7)), false) as is_named,
        reverting_fixes.taken_back_commits is not null as is_reverting,
        commits.committed_at
    from commits
    inner join bug_reports using (dataset, repository, number)
    inner join origins using (repository, sha)
    left join known as fixes using (repository, sha)
    left join originals using (repository, introducing_sha)
    left join reverts using (repository, introducing_sha)
    left join taken_back using (repository, sha, path, introducing_sha)
    left join reverting_fixes using (repository, sha)
    where originals.place is null or originals.place = 1
),

possible as (
    select
        *,
        not is_after_report and not is_merge and not is_ignored
        and (is_taken_back or not is_reverting) as is_possible
    from introductions
),

chosen as (
    select
        *,
        is_possible and (
            not is_revert
            or is_taken_back
            or not bool_or(is_possible and not is_revert) over (
                partition by dataset, repository, number, sha
            )
        ) as is_candidate
    from possible
),

measured as (
    select
        *,
        is_candidate and (is_taken_back or is_named) as is_stated,
        sum(case when is_candidate then lines else 0 end) over (
            partition by dataset, repository, number, sha
        ) as candidate_lines,
        sum(case when is_candidate then lines else 0 end) over (
            partition by dataset, repository, number, sha, original_sha
        ) as own_lines,
        greatest(epoch_us(committed_at) - epoch_us(introduced_at), 0) / 86400000000 as age_days
    from chosen
),

estimated as (
    select
        *,
        case
            when max(cast(is_stated as integer)) over (
                partition by dataset, repository, number, sha, original_sha
            ) = 1 then 1
            else 1 / (1 + exp(-(
                -211 + 3692 * coalesce(own_lines / nullif(candidate_lines, 0), 0)
                - 587 * ln(1 + age_days)
            ) / 1000))
        end as estimate
    from measured
),

ranked as (
    select
        dataset,
        repository,
        number,
        sha,
        path,
        introducing_sha,
        original_sha,
        introduced_at,
        lines,
        is_merge,
        is_ignored,
        is_after_report,
        is_candidate,
        case when is_candidate then is_stated end as is_stated,
        case when is_candidate then cast(estimate as double) end as probability,
        case
            when is_candidate then dense_rank() over (
                partition by dataset, repository, number, sha
                order by
                    case when is_candidate then 0 else 1 end,
                    estimate desc,
                    introduced_at desc,
                    original_sha
            )
        end as candidate_rank
    from estimated
)

select * from ranked
