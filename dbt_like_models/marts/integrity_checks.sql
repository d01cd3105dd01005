-- Whether the tables fit together: comments and events without their issue, links without issue or
-- commit, changed files without their commit, issues without a label decision, comments by accounts of
-- which it is not known whether they are bots, and fixes that were written more than a day before the
-- bug was reported, a row for each repository and question.

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
        number as found_number
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
