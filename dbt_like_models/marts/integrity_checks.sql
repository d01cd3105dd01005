-- Whether the tables fit together: comments and events without their issue, links without issue or
-- commit, changed files without their commit, issues without a label decision, comments by accounts of
-- which it is not known whether they are bots, comments older than their issue (it was imported), labels
-- that changed without an event (they were renamed or deleted), issues whose past does not end as they
-- are now, and fixes that were written more than a day before the bug was reported, a row for each
-- repository and question.

with

repositories as (
    select
        'live' as dataset,
        repository
    from meta.repositories
),

issues as (
    select
        repository,
        number,
        number as found_number,
        created_at as opened_at
    from raw.issues
),

commits as (
    select
        repository,
        sha,
        sha as found_sha
    from raw.commits
    union
    select
        repository,
        sha,
        sha as found_sha
    from raw.branch_commits
),

-- The newest row of each issue's past beside what it is.
ends as (
    select
        repository,
        number,
        history.state <> issues.state
            or history.is_bug_report <> issues.is_bug_report
            or history.is_performance <> issues.is_performance as is_other
    from staging.issues as issues
    inner join marts.issue_history as history using (dataset, repository, number)
    where dataset = 'live' and history.until_month is null
),

rows_asked as (
    select
        repository,
        'comments_without_issue' as question,
        issues.found_number is null as is_failing,
        '#' || number as example
    from raw.issue_comments
    left join issues using (repository, number)
    union all
    select
        repository,
        'events_without_issue' as question,
        issues.found_number is null as is_failing,
        '#' || number as example
    from raw.issue_events
    left join issues using (repository, number)
    union all
    select
        repository,
        'links_without_issue' as question,
        issues.found_number is null as is_failing,
        '#' || number as example
    from links.fix_links
    left join issues using (repository, number)
    union all
    select
        repository,
        'links_without_commit' as question,
        commits.found_sha is null as is_failing,
        sha as example
    from links.fix_links
    left join commits using (repository, sha)
    union all
    select
        repository,
        'files_without_commit' as question,
        commits.found_sha is null as is_failing,
        sha as example
    from raw.commit_files
    left join commits using (repository, sha)
    union all
    select
        repository,
        'issues_without_label_decision' as question,
        decisions.rule_version is null as is_failing,
        '#' || number as example
    from issues
    left join labels.performance_labels as decisions using (repository, number)
    union all
    select
        repository,
        'comments_by_accounts_of_unknown_type' as question,
        author is not null and author_type is null as is_failing,
        '#' || number as example
    from raw.issue_comments
    union all
    select
        repository,
        'comments_before_their_issue' as question,
        created_at < issues.opened_at as is_failing,
        '#' || number as example
    from raw.issue_comments
    inner join issues using (repository, number)
    union all
    select
        repository,
        'labels_without_an_event' as question,
        is_inferred as is_failing,
        '#' || number || ' ' || label as example
    from intermediate.label_changes
    where dataset = 'live'
    union all
    select
        repository,
        'histories_that_end_otherwise' as question,
        is_other as is_failing,
        '#' || number as example
    from ends
    union all
    select
        repository,
        'fixes_before_their_bug' as question,
        list_contains(doubts, 'written_a_day_before_report') as is_failing,
        '#' || number || ' by ' || sha as example
    from intermediate.counted_links
    where dataset = 'live'
),

counted as (
    select
        repositories.dataset,
        repository,
        question,
        count(rows_asked.example) as row_count,
        count(rows_asked.example) filter (where rows_asked.is_failing) as failing_rows,
        min(rows_asked.example) filter (where rows_asked.is_failing) as example
    from repositories
    inner join rows_asked using (repository)
    group by repositories.dataset, repository, question
)

select
    dataset,
    repository,
    question,
    row_count,
    failing_rows,
    example
from counted
