-- How many issues each kind of evidence links a commit to, for the other kind to be measured by:
-- github (closing commits and pull requests) and messages (what commit messages name).

with

links as (
    select
        repository,
        number,
        case
            when approach in ('url', 'id', 'plain_id', 'named_by_pull_request') then 'messages'
            else 'github'
        end as reference
    from links.fix_links
    where branch is null and approach <> 'named_in_comment'
)

select
    'live' as dataset,
    repository,
    reference,
    count(distinct number) as known_issues
from links
group by repository, reference
