-- When each label was on each issue, by the months at whose end it was there, and what it means.

with

changes as (
    select
        *,
        strftime(changed_at at time zone 'UTC', '%Y-%m') as month
    from intermediate.label_changes
),

kinds as (
    select
        'live' as dataset,
        repository,
        label,
        is_performance,
        is_non_bug
    from labels.label_kinds
),

spans as (
    select
        dataset,
        repository,
        number,
        label,
        is_on,
        is_inferred,
        month as from_month,
        lead(month) over (
            partition by dataset, repository, number, label order by change
        ) as until_month
    from changes
)

select
    dataset,
    repository,
    spans.number,
    label,
    spans.from_month,
    spans.until_month,
    coalesce(kinds.is_performance, false) as is_performance,
    coalesce(kinds.is_non_bug, false) as is_non_bug,
    spans.is_inferred
from spans
left join kinds using (dataset, repository, label)
where spans.is_on and (spans.until_month is null or spans.until_month > spans.from_month)
