-- Question: which fixes brought a later bug with them?
-- How to read: one line a fix commit that last touched lines which the fix of a later bug takes away
-- (SZZ). A rough measure, as how_long_bugs_lived: a hint where to look.
-- Group: fixes
-- Words: regression, SZZ, introduced

with

fixes as (
    select
        repository,
        number,
        sha
    from links.fix_links
    group by all
    having bool_or(is_counted) and not bool_or(is_repeated)
),

bugs as (
    select
        repository,
        number,
        opened_at,
        is_performance
    from marts.bug_metrics
    where dataset = 'live'
)

select
    origins.repository,
    origins.introducing_sha as fix_sha,
    fixed.number as fixed_bug,
    brought.number as brought_bug,
    brought.is_performance as brought_is_performance,
    cast(sum(origins.lines) as bigint) as lines
from details.introducing_commits as origins
inner join fixes as later
    on origins.repository = later.repository and origins.sha = later.sha
inner join bugs as brought
    on later.repository = brought.repository and later.number = brought.number
inner join fixes as earlier
    on origins.repository = earlier.repository and origins.introducing_sha = earlier.sha
inner join bugs as fixed
    on earlier.repository = fixed.repository and earlier.number = fixed.number
where
    not origins.is_merge
    and origins.introduced_at <= brought.opened_at
    and fixed.number <> brought.number
group by all
order by lines desc, origins.repository, fix_sha, fixed_bug, brought_bug;
