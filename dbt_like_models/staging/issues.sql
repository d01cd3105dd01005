-- Every studied issue of each dataset, bug report or not, as it is now, with what its labels and
-- texts make of it. Issues of repositories that left the study, and of months before its first one,
-- do not appear.

with

repositories as (
    select * from meta.repositories
),

issues as (
    select * from raw.issues
),

decisions as (
    select * from labels.performance_labels
),

published as (
    select * from replication.bugs
),

live as (
    select
        'live' as dataset,
        repository,
        number,
        issues.month,
        issues.title,
        issues.html_url,
        issues.author,
        issues.author_type,
        issues.author_association,
        issues.state,
        issues.state_reason,
        issues.labels,
        issues.created_at as opened_at,
        issues.closed_at,
        decisions.is_bug_report,
        decisions.is_performance,
        decisions.matched_labels,
        decisions.matched_keywords,
        decisions.matched_in,
        decisions.strength,
        decisions.widened_keywords,
        array_length(decisions.matched_keywords) > 0
            or (decisions.is_performance and array_length(decisions.matched_labels) = 0)
            as is_performance_without_labels,
        coalesce(decisions.not_a_bug_by = 'label', true) as is_bug_report_without_labels
    from issues
    inner join repositories using (repository)
    inner join decisions using (repository, number)
    where issues.month >= repositories.start_month
),

-- A bug report that was reopened counts as closed at its last close: the package does not tell.
replication as (
    select
        'replication' as dataset,
        repository,
        number,
        month,
        cast(null as varchar) as title,
        'https://github.com/' || repository || '/issues/' || number as html_url,
        author,
        cast(null as varchar) as author_type,
        cast(null as varchar) as author_association,
        case when minutes_to_close is null then 'open' else 'closed' end as state,
        cast(null as varchar) as state_reason,
        labels,
        opened_at,
        opened_at + cast(round(minutes_to_close * 60) as bigint) * interval 1 second as closed_at,
        true as is_bug_report,
        is_performance,
        cast([] as varchar[]) as matched_labels,
        cast([] as varchar[]) as matched_keywords,
        cast([] as varchar[]) as matched_in,
        cast(null as varchar) as strength,
        cast([] as varchar[]) as widened_keywords,
        is_performance as is_performance_without_labels,
        true as is_bug_report_without_labels
    from published
)

select * from live
union all
select * from replication
