-- The bug reports of each dataset: the studied issues that are not marked as something else, with
-- their state and what makes them performance bugs or not. Issues of repositories that left the
-- study, and of months before its first one, do not appear.

with

repositories as (
    select * from staging.repositories where dataset = 'live'
),

issues as (
    select * from raw.issues
),

decisions as (
    select * from labels.performance_labels where is_bug_report
),

live as (
    select
        repositories.dataset,
        issues.repository,
        issues.number,
        issues.month,
        issues.title,
        issues.html_url,
        issues.author,
        issues.state,
        issues.state_reason,
        issues.labels,
        issues.created_at as opened_at,
        issues.closed_at,
        decisions.is_performance,
        decisions.matched_labels,
        decisions.matched_keywords,
        decisions.matched_in
    from issues
    inner join repositories
        on issues.repository = repositories.repository
        and issues.month >= repositories.start_month
    inner join decisions
        on issues.repository = decisions.repository
        and issues.number = decisions.number
)

select * from live
