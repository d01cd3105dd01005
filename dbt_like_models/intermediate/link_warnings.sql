-- The reasons to doubt that a commit fixes the issue it is linked to, by rule; all who leave out
-- doubtful links read them here. Low numbers appear in messages for other reasons (template text,
-- lists); a commit cannot fix what nobody has reported, give or take a day; one long after the close
-- rather mentions the issue; one that serves five bugs or more is a release, a merge or a tidying
-- up; a fix of 50 commits or more is what template text named, or a branch that was merged: of the
-- fixes read for intermediate.link_confidence_levels 99 per cent have 10 commits at most and none that was
-- right has 50, the largest of the paper's published data has 35, while 1.2 per cent of 8,866 pull
-- requests brought 50 or more; a commit that changes no line (it is empty, renames a file or brings a
-- binary one) gives a fix a size of 0; and what was taken back later was no fix, nor is a revert. Doubts are
-- judged anew each time, as a revert or a reopening is a later fact: the link itself stays as
-- stored.

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

reverts as (
    select distinct
        'live' as dataset,
        repository,
        sha,
        sha as reverting_sha
    from intermediate.reverts
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
        reverts.reverting_sha is not null
            or starts_with(commits.message, 'Revert "') as is_revert
    from commits
    inner join issues using (dataset, repository, number)
    left join bugs_of_a_commit using (dataset, repository, sha)
    left join commits_of_a_fix using (dataset, repository, number, is_counted)
    left join reverted_links using (dataset, repository, number, sha)
    left join reverts using (dataset, repository, sha)
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
                case when is_revert then 'is_a_revert' end
            ],
            lambda doubt: doubt is not null
        ) as doubts
    from judged
)

select * from doubts
