-- The reasons to doubt that a commit fixes the issue it is linked to, by rule. They are judged
-- anew each time, as a revert or a reopening is a later fact: the link itself stays as stored.

with

links as (
    select distinct
        repository,
        number,
        sha,
        pull_request
    from links.fix_links
),

issues as (
    select * from raw.issues
),

bug_reports as (
    select * from staging.bug_reports where dataset = 'live'
),

commits as (
    select repository, sha, message, is_merge, authored_at, committed_at from raw.commits
    union all
    select repository, sha, message, is_merge, authored_at, committed_at from raw.branch_commits
),

reverts as (
    select * from staging.reverts
),

-- A revert that was reverted itself takes nothing back.
taken_back as (
    select distinct
        reverts.repository,
        reverts.reverted_sha as sha
    from reverts
    anti join reverts as again
        on reverts.repository = again.repository
        and reverts.sha = again.reverted_sha
),

-- With the merge of a pull request all of its commits are taken back.
pull_requests_taken_back as (
    select distinct
        links.repository,
        links.number,
        links.pull_request
    from links
    inner join taken_back
        on links.repository = taken_back.repository
        and links.sha = taken_back.sha
    inner join commits
        on links.repository = commits.repository
        and links.sha = commits.sha
    where commits.is_merge and links.pull_request is not null
),

bugs_of_a_commit as (
    select
        links.repository,
        links.sha,
        count(distinct links.number) as bugs
    from links
    inner join bug_reports
        on links.repository = bug_reports.repository
        and links.number = bug_reports.number
    group by links.repository, links.sha
),

judged as (
    select
        links.repository,
        links.number,
        links.sha,
        links.number < 100 as is_low,
        bool_or(commits.authored_at < issues.created_at - interval 1 day) as is_early,
        bool_or(commits.committed_at > issues.closed_at + interval 90 day) as is_late,
        max(bugs_of_a_commit.bugs) >= 5 as serves_many,
        bool_or(taken_back.sha is not null or whole.pull_request is not null) as is_reverted,
        bool_or(reverting.sha is not null or starts_with(commits.message, 'Revert "')) as reverts
    from links
    inner join issues
        on links.repository = issues.repository
        and links.number = issues.number
    left join commits
        on links.repository = commits.repository
        and links.sha = commits.sha
    left join bugs_of_a_commit
        on links.repository = bugs_of_a_commit.repository
        and links.sha = bugs_of_a_commit.sha
    left join taken_back
        on links.repository = taken_back.repository
        and links.sha = taken_back.sha
    left join pull_requests_taken_back as whole
        on links.repository = whole.repository
        and links.number = whole.number
        and links.pull_request = whole.pull_request
    left join reverts as reverting
        on links.repository = reverting.repository
        and links.sha = reverting.sha
    group by links.repository, links.number, links.sha
),

doubts as (
    select
        repository,
        number,
        sha,
        list_filter(
            [
                case when is_low then 'issue_number_below_100' end,
                case when is_early then 'written_a_day_before_report' end,
                case when is_late then 'commit_90_days_after_close' end,
                case when serves_many then 'commit_serves_five_bugs' end,
                case when is_reverted then 'reverted_later' end,
                case when reverts then 'is_a_revert' end
            ],
            lambda doubt: doubt is not null
        ) as doubts
    from judged
)

select * from doubts
