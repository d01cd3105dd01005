-- The commits that count as fixes of each bug report, each commit once however many approaches
-- found it, with its own size. Of a merged pull request these are the commits it brought, without
-- merges, which would show the same lines again, and without copies and reapplied commits, which show
-- those of another one that counts. What was taken back counts only where nothing else does; it has
-- the doubt reverted_later.

with

bug_reports as (
    select * from staging.bug_reports
),

linked as (
    select * from staging.linked_commits
),

reverted as (
    select
        *,
        sha as reverted_sha
    from intermediate.reverted_links
),

shown_again as (
    select
        repository,
        related_sha as sha,
        relations.sha as repeating_sha
    from links.commit_relations as relations
    where relations.relation in ('restores', 'copies')
),

-- Commits that show the lines of another one again that counts for the same issue.
repeats as (
    select distinct
        dataset,
        repository,
        number,
        shown_again.repeating_sha as sha
    from linked
    inner join shown_again using (repository, sha)
    anti join reverted using (dataset, repository, number, sha)
    where dataset = 'live' and linked.is_counted
),

commits as (
    select
        dataset,
        repository,
        number,
        sha,
        linked.committed_at,
        linked.additions,
        linked.deletions,
        linked.approaches,
        reverted.reverted_sha is not null as is_reverted
    from linked
    left join reverted using (dataset, repository, number, sha)
    semi join bug_reports using (dataset, repository, number)
    anti join repeats using (dataset, repository, number, sha)
    where linked.is_counted and not linked.is_repeated
),

standing as (
    select distinct
        dataset,
        repository,
        number,
        number as standing_number
    from commits
    where not is_reverted
),

fixes as (
    select
        dataset,
        repository,
        number,
        commits.sha,
        commits.committed_at,
        commits.additions,
        commits.deletions,
        commits.additions + commits.deletions as size,
        commits.approaches
    from commits
    left join standing using (dataset, repository, number)
    where not commits.is_reverted or standing.standing_number is null
)

select * from fixes
