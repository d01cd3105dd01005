-- The links between commits and issues whose commit is taken back: itself, or with the merge that
-- brought it. What happened last counts, as a revert may be taken back too.

with

links as (
    select * from links.fix_links
),

relations as (
    select * from links.commit_relations
),

commits as (
    select * from raw.commits
),

changes as (
    select
        repository,
        relations.related_sha as sha,
        max(case when relations.relation = 'reverts' then commits.committed_at end) as reverted_at,
        max(case when relations.relation = 'restores' then commits.committed_at end) as restored_at
    from relations
    inner join commits using (repository, sha)
    where relations.relation in ('reverts', 'restores')
    group by repository, relations.related_sha
),

taken_back as (
    select * from changes
    where reverted_at is not null and (restored_at is null or restored_at < reverted_at)
),

reverted as (
    select distinct
        'live' as dataset,
        repository,
        links.number,
        sha
    from links
    semi join taken_back using (repository, sha)
)

select * from reverted
