-- Question: which pull requests would fix an open performance bug?
-- How to read: one line a pull request that GitHub links to an open performance bug and that is not
-- merged, oldest bug first. Whether it is in review or was closed without a merge is not stored.
-- Group: fixes
-- Words: review, patch, PR

with

latest as (
    select max(loaded_at) as loaded_at from meta.partition_loads
),

pull_requests as (
    select distinct
        repository,
        number,
        case
            when pull_request_repository = repository then repositories.change_url
            when split_part(pull_request_repository, '/', 1) like '%.%'
                then 'https://' || pull_request_repository || '/-/merge_requests/'
            else 'https://github.com/' || pull_request_repository || '/pull/'
        end || pull_request as pull_request_url
    from raw.issue_pull_requests
    inner join meta.repositories as repositories using (repository)
    where not is_merged
)

select
    repository,
    number,
    bugs.title,
    cast(floor((epoch(latest.loaded_at) - epoch(bugs.opened_at)) / 86400) as bigint) as days_open,
    pull_requests.pull_request_url,
    bugs.html_url
from marts.bug_metrics as bugs
inner join pull_requests using (repository, number)
cross join latest
where bugs.dataset = 'live' and bugs.is_performance and bugs.state = 'open'
order by bugs.opened_at, repository, number, pull_requests.pull_request_url;
