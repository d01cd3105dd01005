-- The reasons to doubt that a commit fixes the issue it is linked to, by rule; all who leave out
-- doubtful links read them here. Low numbers appear in messages for other reasons (template text,
-- lists); a commit cannot fix what nobody has reported, give or take a day; one long after the close
-- rather mentions the issue; one that serves five bugs or more is a release, a merge or a tidying
-- up; a fix of 50 commits or more is what template text named, or a branch that was merged: of the
-- fixes read for intermediate.link_confidence_levels 99 per cent have 10 commits at most and none that was
-- right has 50, the largest of the paper's published data has 35, while 1.2 per cent of 8,866 pull
-- requests brought 50 or more; a commit that changes no line (it is empty, renames a file or brings a
-- binary one) gives a fix a size of 0; what was taken back later was not a fix, nor is a revert; and a
-- copy (git cherry-pick) shows the lines of another commit again. Without any doubt are links by words
-- that close the issue, in the message or for GitHub, by a number that a verb or "issue" leads, and
-- by a pull request that GitHub relates to the issue: of 285 such links that were read
-- (intermediate.link_confidence_levels) 282 were right. What merely mentions an issue, what a comment
-- names, and what came with a merge that names it has a doubt that begins with only_. Doubts are
-- judged anew each time, as a revert or a reopening is a later fact: the link itself stays as stored.

with

commits as (
    select * from staging.linked_commits
),

issues as (
    select * from staging.issues
),

reverted_links as (
    select
        *,
        sha as reverted_sha
    from intermediate.reverted_links
),

-- The best that a live link rests on.
evidence as (
    select
        'live' as dataset,
        repository,
        number,
        sha,
        bool_or(
            approach in ('plain_id', 'closed_by_commit', 'closed_by_pull_request', 'pull_request')
            or (
                approach in ('url', 'id')
                and (
                    lower(evidence) like 'fix%'
                    or lower(evidence) like 'clos%'
                    or lower(evidence) like 'resolv%'
                )
            )
        ) as is_certain,
        bool_or(approach in ('url', 'id')) as is_mentioned,
        bool_or(approach = 'named_by_pull_request') as is_named_by_merge
    from links.fix_links
    group by repository, number, sha
),

related as (
    select
        'live' as dataset,
        repository,
        sha,
        bool_or(relation <> 'copies') as is_revert,
        bool_or(relation = 'copies') as is_copy
    from links.commit_relations
    group by repository, sha
),

bugs_of_a_commit as (
    select
        dataset,
        repository,
        commits.sha,
        count(number) as bugs
    from commits
    inner join issues using (dataset, repository, number)
    where issues.is_bug_report
    group by dataset, repository, commits.sha
),

-- What counts makes one fix, and what does not count another.
commits_of_a_fix as (
    select
        dataset,
        repository,
        number,
        is_counted,
        count(sha) as commits
    from commits
    group by dataset, repository, number, is_counted
),

-- Of a published commit only one time is known.
judged as (
    select
        dataset,
        repository,
        number,
        sha,
        number < 100 as is_low,
        coalesce(commits.authored_at, commits.committed_at) < issues.opened_at - interval 1 day
            as is_early,
        commits.committed_at > issues.closed_at + interval 90 day as is_late,
        bugs_of_a_commit.bugs >= 5 as serves_many,
        commits_of_a_fix.commits >= 50 as is_of_many,
        commits.additions + commits.deletions = 0 as is_empty,
        reverted_links.reverted_sha is not null as is_reverted,
        coalesce(related.is_revert, false)
            or starts_with(commits.message, 'Revert "') as is_revert,
        coalesce(related.is_copy, false) as is_copy,
        case
            when evidence.is_certain then null
            when evidence.is_mentioned then 'only_mentioned'
            when evidence.is_named_by_merge then 'only_named_by_merge'
            when not evidence.is_certain then 'only_named_in_comment'
        end as weak_evidence
    from commits
    inner join issues using (dataset, repository, number)
    left join bugs_of_a_commit using (dataset, repository, sha)
    left join commits_of_a_fix using (dataset, repository, number, is_counted)
    left join reverted_links using (dataset, repository, number, sha)
    left join related using (dataset, repository, sha)
    left join evidence using (dataset, repository, number, sha)
),

doubts as (
    select
        dataset,
        repository,
        number,
        sha,
        list_filter(
            [
                case when is_low then 'issue_number_below_100' end,
                case when is_early then 'written_a_day_before_report' end,
                case when is_late then 'commit_90_days_after_close' end,
                case when serves_many then 'commit_serves_five_bugs' end,
                case when is_of_many then 'fix_of_50_commits' end,
                case when is_empty then 'changes_no_line' end,
                case when is_reverted then 'reverted_later' end,
                case when is_revert then 'is_a_revert' end,
                case when is_copy then 'is_a_copy' end,
                weak_evidence
            ],
            lambda doubt: doubt is not null
        ) as doubts
    from judged
)

select * from doubts
