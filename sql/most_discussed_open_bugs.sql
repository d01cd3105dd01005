-- Question: which open performance bugs do most people comment on or react to?
-- How to read: one line a bug, the most comments and reactions first. comments are those of persons,
-- reactions all of those on the opening post, thumbs_up among them; NULL where they are not known.
-- days_open counts from its opening to the latest load of the database.
-- Group: bug reports
-- Words: popular, votes, thumbs, priority, backlog

with

parameters as (
    select
        coalesce(getvariable('rows'), 20) as rows, -- count: how many bug reports
        coalesce(getvariable('repository'), '%') as repository -- repositories of meta.repositories: of this repository (% stands for any text)
),

latest as (
    select max(loaded_at) as loaded_at from meta.partition_loads
),

reactions as (
    select
        repository,
        number,
        thumbs_up,
        thumbs_up + thumbs_down + laugh + hooray + confused + heart + rocket + eyes as reactions
    from raw.issues
)

select
    repository,
    number,
    bugs.title,
    bugs.labels,
    cast(floor((epoch(latest.loaded_at) - epoch(bugs.opened_at)) / 86400) as bigint) as days_open,
    bugs.comments,
    reactions.reactions,
    reactions.thumbs_up,
    bugs.html_url
from marts.bug_metrics as bugs
inner join reactions using (repository, number)
cross join latest
where bugs.dataset = 'live' and bugs.is_performance and bugs.state = 'open'
    and repository like (select parameters.repository from parameters)
order by bugs.comments + coalesce(reactions.reactions, 0) desc, repository, number
limit (select parameters.rows from parameters);
