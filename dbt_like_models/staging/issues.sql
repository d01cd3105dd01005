-- Every studied issue, bug report or not, as it is now: what its past states are computed from.

with

published as (
    select * from staging.bug_reports where dataset = 'replication'
),

repositories as (
    select * from staging.repositories where dataset = 'live'
),

issues as (
    select * from raw.issues
),

decisions as (
    select * from labels.performance_labels
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
        issues.labels,
        issues.created_at as opened_at,
        issues.closed_at,
        len(decisions.matched_keywords) > 0
            or (decisions.is_performance and len(decisions.matched_labels) = 0)
            as is_performance_without_labels,
        decisions.is_bug_report or len(decisions.non_bug_labels) > 0
            as is_bug_report_without_labels
    from issues
    inner join repositories
        on issues.repository = repositories.repository
        and issues.month >= repositories.start_month
    inner join decisions
        on issues.repository = decisions.repository
        and issues.number = decisions.number
),

replication as (
    select
        dataset,
        repository,
        number,
        month,
        title,
        html_url,
        author,
        state,
        labels,
        opened_at,
        closed_at,
        is_performance as is_performance_without_labels,
        true as is_bug_report_without_labels
    from published
)

select * from live
union all
select * from replication
