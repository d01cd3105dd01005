-- The past of each studied issue by month: one row for each month in which its state, its labels or
-- its first fix changed, as it was at the end of that month; the row holds until the next one. What
-- happens later never changes a row. Titles and bodies count as they are now, whatever their age: an
-- edit corrects the source. A fix counts from the first of its commits on, a published one from the
-- opening on, since the package does not tell when the authors found it.

with

issues as (
    select
        dataset,
        repository,
        number,
        month as opened_month,
        is_bug_report_without_labels,
        is_performance_without_labels
    from staging.issues
),

months as (
    select * from intermediate.issue_months
),

label_spans as (
    select * from intermediate.label_spans
),

fixes as (
    select * from staging.fixed_issues
),

labelled as (
    select
        dataset,
        repository,
        number,
        months.month,
        list_sort(list(label_spans.label) filter (where label_spans.label is not null)) as labels,
        list_sort(list(label_spans.label) filter (where label_spans.is_inferred))
            as inferred_labels,
        bool_or(label_spans.is_performance) as is_performance,
        bool_or(label_spans.is_non_bug) as is_non_bug
    from months
    inner join label_spans using (dataset, repository, number)
    where
        months.month >= label_spans.from_month
        and (label_spans.until_month is null or months.month < label_spans.until_month)
    group by dataset, repository, number, months.month
),

decided as (
    select
        dataset,
        repository,
        number,
        month,
        months.until_month,
        issues.opened_month,
        months.is_open,
        months.closed_at,
        coalesce(labelled.labels, cast([] as varchar[])) as labels,
        coalesce(labelled.inferred_labels, cast([] as varchar[])) as inferred_labels,
        issues.is_bug_report_without_labels
            and not coalesce(labelled.is_non_bug, false) as is_bug_report,
        issues.is_performance_without_labels
            or coalesce(labelled.is_performance, false) as has_performance_sign,
        not months.is_open and coalesce(fixes.fix_month <= month, false) as has_fix
    from months
    left join labelled using (dataset, repository, number, month)
    inner join issues using (dataset, repository, number)
    left join fixes using (dataset, repository, number)
)

select
    dataset,
    repository,
    number,
    month,
    until_month,
    opened_month,
    case when is_open then 'open' else 'closed' end as state,
    case when not is_open then closed_at end as closed_at,
    labels,
    inferred_labels,
    is_bug_report,
    is_bug_report and has_performance_sign as is_performance,
    is_bug_report and has_fix as is_fixed
from decided
