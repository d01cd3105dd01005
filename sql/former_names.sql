-- Question: did a repository have another name before, so that links under it are missed?
-- How to read: one line a name that commit messages give as an address on GitHub, the likeliest former
-- name first: numbers is how many different numbers they give to it, here how many of these are issues
-- of the repository that had been opened by then. A name nearly all of whose numbers are here, or that
-- has the same last part, is probably one of its own: name it in aliases of the study. Aliases are
-- told as other names are.
-- Group: links
-- Words: renamed, alias, moved

with

parameters as (
    select
        coalesce(getvariable('least'), 3) as least -- count: fewest numbers that a name must have
),

addresses as (
    select
        repository,
        committed_at,
        unnest(
            regexp_extract_all(
                lower(message), 'github\.com/([\w.-]+/[\w.-]+/(?:issues|pull)/[0-9]+)', 1
            )
        ) as address
    from raw.commits
    where contains(lower(message), 'github.com/')
),

named as (
    select
        repository,
        committed_at,
        split_part(address, '/', 1) || '/' || split_part(address, '/', 2) as name,
        cast(split_part(address, '/', 4) as bigint) as number
    from addresses
)

select
    named.repository,
    named.name,
    count(distinct named.number) as numbers,
    count(distinct issues.number) as here,
    split_part(named.name, '/', 2) = lower(split_part(named.repository, '/', 2)) as is_same_last_part
from named
cross join parameters
left join raw.issues as issues
    on
        issues.repository = named.repository
        and issues.number = named.number
        and issues.created_at <= named.committed_at
where named.name <> lower(named.repository)
group by named.repository, named.name, parameters.least
having count(distinct named.number) >= parameters.least
order by named.repository, is_same_last_part desc, here desc, named.name;
