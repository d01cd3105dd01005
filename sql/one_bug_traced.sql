-- Question: where do the figures of one bug report come from?
-- How to read: everything that happened to it in order of time, from the raw rows: opening,
-- comments, events, and the commits linked to it with approach and evidence; by default of the
-- fixed performance bug with the most commits.
-- Group: links
-- Words: timeline, evidence, event

with

parameters as (
    select
        coalesce(getvariable('number'), 0) as number, -- number of live marts.bug_metrics: number of the issue; 0 for one with many commits
        coalesce(getvariable('repository'), '%') as repository -- repositories of meta.repositories: of this repository (% stands for any text)
),

picked as (
    select repository, number
    from marts.bug_metrics
    where
        dataset = 'live'
        and repository like (select parameters.repository from parameters)
        and ((select parameters.number from parameters) = number or ((select parameters.number from parameters) = 0 and is_fixed))
    order by is_performance desc, fix_commits desc, repository, number
    limit 1
),

history as (
    select
        repository,
        number,
        created_at as happened_at,
        'opened' as what,
        author as who,
        title as detail
    from raw.issues
    union all
    select repository, number, created_at, 'commented', author, left(body, 80)
    from raw.issue_comments
    union all
    select repository, number, created_at, event, actor, coalesce(label, commit_sha)
    from raw.issue_events
    union all
    select
        repository,
        links.number,
        commits.committed_at,
        'linked by ' || links.approach || case when links.is_counted then '' else ', not counted' end,
        commits.author_name,
        sha || coalesce(' +' || commits.additions || ' -' || commits.deletions, '')
            || ' ' || links.evidence
    from links.fix_links as links
    inner join raw.commits as commits using (repository, sha)
)

select
    repository,
    number,
    happened_at at time zone 'UTC' as happened_at_utc,
    what,
    who,
    detail
from history
inner join picked using (repository, number)
order by happened_at, what, detail;
