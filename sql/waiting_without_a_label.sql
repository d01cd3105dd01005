-- Question: which open issues wait for a first label?
-- How to read: open issues without any label, those that wait longest first.
-- Group: labels
-- Words: triage, unlabeled, backlog

with

parameters as (
    select
        coalesce(getvariable('rows'), 20) as rows -- count: how many issues
),

read_until as (
    select
        repository,
        max(updated_at) as read_until
    from raw.issues
    group by repository
)

select
    repository,
    number,
    issues.title,
    round((epoch(read_until.read_until) - epoch(issues.opened_at)) / 86400, 1) as days_waited,
    issues.is_performance,
    issues.html_url
from staging.issues as issues
inner join read_until using (repository)
cross join parameters
where dataset = 'live' and issues.state = 'open' and len(issues.labels) = 0
qualify row_number() over (order by opened_at, repository, number) <= parameters.rows
order by opened_at, repository, number;
