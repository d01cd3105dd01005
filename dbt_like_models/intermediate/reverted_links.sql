-- The links between commits and issues whose commit was taken back later, itself or with the merge
-- of its pull request. A revert that was reverted itself takes nothing back.

with

links as (
    select * from links.fix_links
),

reverts as (
    select * from intermediate.reverts
),

taken_back as (
    select distinct
        repository,
        reverted_sha as sha
    from reverts
    anti join (select repository, reverted_sha as sha from reverts) as again
        using (repository, sha)
),

pull_requests as (
    select distinct
        repository,
        links.number,
        links.pull_request
    from links
    inner join taken_back using (repository, sha)
    inner join raw.commits using (repository, sha)
    where commits.is_merge and links.pull_request is not null
),

reverted as (
    select
        'live' as dataset,
        repository,
        links.number,
        sha
    from links
    semi join taken_back using (repository, sha)
    union
    select
        'live' as dataset,
        repository,
        number,
        links.sha
    from links
    semi join pull_requests using (repository, number, pull_request)
)

select * from reverted
