-- The links between commits and issues on which two kinds of evidence can be compared: what commit
-- messages name (url, id, plain_id, named_by_pull_request) and what GitHub knows of closing commits
-- and pull requests (closed_by_commit, closed_by_pull_request, pull_request). Each is judged by the
-- other kind, its reference, on the issues for which that has a commit at all; what comments name
-- is judged by messages and judges nothing. What came by one pull request is one link here.

with

links as (
    select
        repository,
        number,
        sha,
        approach,
        coalesce(cast(pull_request as varchar), sha) as delivery,
        case
            when approach in ('url', 'id', 'plain_id', 'named_by_pull_request') then 'github'
            else 'messages'
        end as reference
    from links.fix_links
    where branch is null
),

-- The commits that the other kind of evidence gives.
known as (
    select distinct
        repository,
        number,
        sha,
        case when reference = 'github' then 'messages' else 'github' end as reference
    from links
    where approach <> 'named_in_comment'
),

-- A pull request is confirmed when one of its commits is.
confirmed as (
    select distinct
        repository,
        number,
        links.delivery,
        reference,
        links.delivery as confirmed_delivery
    from links
    semi join known using (repository, number, sha, reference)
),

compared as (
    select distinct
        repository,
        number,
        links.approach,
        links.delivery,
        reference
    from links
    semi join known using (repository, number, reference)
)

select
    'live' as dataset,
    repository,
    number,
    compared.approach,
    delivery,
    reference,
    confirmed.confirmed_delivery is not null as agrees
from compared
left join confirmed using (repository, number, delivery, reference)
