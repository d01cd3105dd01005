-- What tells performance bugs from others, month by month: labels that decide, automations that put them
-- on, forms, and types of issues; how many of the issues opened in the month each of them was used on.

with

issues as (
    select
        repository,
        number,
        strftime(created_at at time zone 'UTC', '%Y-%m') as month,
        issue_type
    from raw.issues
),

studied as (
    select
        repository,
        number
    from staging.issues
    where dataset = 'live'
),

acts as (
    select * from intermediate.label_acts
),

forms as (
    select * from labels.report_forms
),

used as (
    select
        repository,
        issues.month,
        number,
        'label' as instrument,
        acts.label as name
    from acts
    inner join issues using (repository, number)
    union all
    select
        repository,
        issues.month,
        number,
        'automation' as instrument,
        acts.actor as name
    from acts
    inner join issues using (repository, number)
    where acts.labeller = 'automation'
    union all
    select
        repository,
        issues.month,
        number,
        'form' as instrument,
        forms.form_path as name
    from forms
    inner join issues using (repository, number)
    union all
    select
        repository,
        month,
        number,
        'type' as instrument,
        issue_type as name
    from issues
    where issue_type is not null
)

select
    repository,
    instrument,
    name,
    month,
    count(distinct number) as used_on
from used
inner join studied using (repository, number)
group by repository, instrument, name, month
