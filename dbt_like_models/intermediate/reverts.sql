-- Which commit takes back which, by the words that git and GitHub put into the message of a
-- revert: "This reverts commit", with the hash in full or its beginning.

with

commits as (
    select * from raw.commits
),

named as (
    select
        repository,
        sha,
        unnest(
            regexp_extract_all(message, '(?i)this reverts commit ([0-9a-f]{7,64})', 1)
        ) as reverted
    from commits
    where contains(lower(message), 'this reverts commit')
),

reverts as (
    select distinct
        named.repository,
        named.sha,
        commits.sha as reverted_sha
    from named
    inner join commits
        on named.repository = commits.repository
        and left(named.reverted, 7) = left(commits.sha, 7)
        and starts_with(commits.sha, named.reverted)
)

select * from reverts
