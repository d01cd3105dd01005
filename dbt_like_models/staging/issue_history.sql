-- The past of each studied issue by month: one row for each month in which its state, its labels or
-- its first fix changed, as it was at the end of that month; the row holds until the next one. What
-- happens later never changes a row. Titles and bodies count as they are now, whatever their age: an
-- edit corrects the source. A fix counts from the first of its commits on, a published one from the
-- opening on, since the package does not tell when the authors found it.

with

issues as (
    select * from staging.issues
),

state_changes as (
    select * from staging.state_changes
),

label_spans as (
    select * from staging.label_spans
),

published_fixes as (
    select * from staging.fixes where dataset = 'replication'
),

fixes as (
    select
        'live' as dataset,
        links.repository,
        links.number,
        strftime(min(commits.committed_at) at time zone 'UTC', '%Y-%m') as fix_month
    from links.fix_links as links
    inner join raw.commits as commits
        on links.repository = commits.repository
        and links.sha = commits.sha
    where links.is_counted
    group by links.repository, links.number
    union all
    select
        dataset,
        repository,
        number,
        '0000-00' as fix_month
    from published_fixes
),

closes as (
    select
        'live' as dataset,
        repository,
        number,
        created_at as closed_at
    from raw.issue_events
    where event = 'closed'
    union all
    select
        dataset,
        repository,
        number,
        closed_at
    from issues
    where closed_at is not null
),

-- Everything that may change a row, with its month.
happenings as (
    select
        dataset,
        repository,
        number,
        month,
        null as change,
        null as is_open,
        null as closed_at
    from issues
    union all
    select
        dataset,
        repository,
        number,
        month,
        change,
        is_open,
        null as closed_at
    from state_changes
    union all
    select
        closes.dataset,
        closes.repository,
        closes.number,
        strftime(
            greatest(closes.closed_at, issues.opened_at) at time zone 'UTC', '%Y-%m'
        ) as month,
        null as change,
        null as is_open,
        greatest(closes.closed_at, issues.opened_at) as closed_at
    from closes
    inner join issues
        on closes.dataset = issues.dataset
        and closes.repository = issues.repository
        and closes.number = issues.number
    union all
    select
        dataset,
        repository,
        number,
        unnest([from_month, until_month]) as month,
        null as change,
        null as is_open,
        null as closed_at
    from label_spans
    union all
    select
        fixes.dataset,
        fixes.repository,
        fixes.number,
        fixes.fix_month as month,
        null as change,
        null as is_open,
        null as closed_at
    from fixes
),

months as (
    select
        dataset,
        repository,
        number,
        month,
        max_by(is_open, change) as is_open,
        max(closed_at) as closed_at
    from happenings
    where month is not null
    group by dataset, repository, number, month
),

-- What did not change in a month is as it was in the month before.
moments as (
    select
        months.dataset,
        months.repository,
        months.number,
        months.month,
        lead(months.month) over by_month as until_month,
        last_value(months.is_open ignore nulls) over by_month as is_open,
        max(months.closed_at) over by_month as closed_at
    from months
    inner join issues
        on months.dataset = issues.dataset
        and months.repository = issues.repository
        and months.number = issues.number
        and months.month >= issues.month
    window by_month as (
        partition by months.dataset, months.repository, months.number order by months.month
    )
),

labelled as (
    select
        moments.dataset,
        moments.repository,
        moments.number,
        moments.month,
        list(label_spans.label order by label_spans.label) as labels,
        bool_or(label_spans.is_performance) as is_performance,
        bool_or(label_spans.is_non_bug) as is_non_bug
    from moments
    inner join label_spans
        on moments.dataset = label_spans.dataset
        and moments.repository = label_spans.repository
        and moments.number = label_spans.number
        and moments.month >= label_spans.from_month
        and (label_spans.until_month is null or moments.month < label_spans.until_month)
    group by moments.dataset, moments.repository, moments.number, moments.month
),

decided as (
    select
        moments.dataset,
        moments.repository,
        moments.number,
        moments.month,
        moments.until_month,
        issues.month as opened_month,
        case when moments.is_open then 'open' else 'closed' end as state,
        case when not moments.is_open then moments.closed_at end as closed_at,
        coalesce(labelled.labels, cast([] as varchar[])) as labels,
        issues.is_bug_report_without_labels
            and not coalesce(labelled.is_non_bug, false) as is_bug_report,
        issues.is_performance_without_labels
            or coalesce(labelled.is_performance, false) as has_performance_sign,
        not moments.is_open and coalesce(fixes.fix_month <= moments.month, false) as is_fixed
    from moments
    inner join issues
        on moments.dataset = issues.dataset
        and moments.repository = issues.repository
        and moments.number = issues.number
    left join labelled
        on moments.dataset = labelled.dataset
        and moments.repository = labelled.repository
        and moments.number = labelled.number
        and moments.month = labelled.month
    left join fixes
        on moments.dataset = fixes.dataset
        and moments.repository = fixes.repository
        and moments.number = fixes.number
)

select
    dataset,
    repository,
    number,
    month,
    until_month,
    opened_month,
    state,
    closed_at,
    labels,
    is_bug_report,
    is_bug_report and has_performance_sign as is_performance,
    is_bug_report and is_fixed as is_fixed
from decided
