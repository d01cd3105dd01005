-- The bug reports of each dataset: the studied issues that are not marked as something else, with
-- their state and what makes them performance bugs or not. Issues of repositories that left the
-- study, and of months before its first one, do not appear.

with

published as (
    select * from replication.bugs
),

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
),

-- A bug report that was reopened counts as closed at its last close: the package does not tell.
replication as (
    select
        'replication' as dataset,
        published.repository,
        published.number,
        published.month,
        cast(null as varchar) as title,
        'https://github.com/' || published.repository || '/issues/' || published.number as html_url,
        published.author,
        case when published.minutes_to_close is null then 'open' else 'closed' end as state,
        cast(null as varchar) as state_reason,
        published.labels,
        published.opened_at,
        published.opened_at
            + to_seconds(cast(round(published.minutes_to_close * 60) as bigint)) as closed_at,
        published.is_performance,
        cast([] as varchar[]) as matched_labels,
        cast([] as varchar[]) as matched_keywords,
        cast([] as varchar[]) as matched_in
    from published
)

select * from live
union all
select * from replication
