-- Root causes of performance bugs, as in Table III of the paper: how many bugs have which, their
-- share, and what they cost (rows of the repository pooled are over all repositories; leave them
-- out of sums). Live ones are those that most raters take for performance bugs and give one cause;
-- published ones are the rows of the published taxonomy, which tells no impact.

with

bugs as (
    select * from intermediate.bug_causes
),

placed as (
    select
        dataset,
        repository,
        category,
        subcategory,
        impact
    from bugs
    union all
    select
        dataset,
        'pooled' as repository,
        category,
        subcategory,
        impact
    from bugs
),

totals as (
    select
        dataset,
        repository,
        count(category) as all_bugs
    from placed
    group by dataset, repository
),

-- A bug counts for its category, and once more for its sub-category where it has one.
causes as (
    select
        dataset,
        repository,
        category as cause,
        category,
        cast(null as varchar) as subcategory,
        impact
    from placed
    union all
    select
        dataset,
        repository,
        category || ' (' || subcategory || ')' as cause,
        category,
        subcategory,
        impact
    from placed
    where subcategory is not null
),

counted as (
    select
        dataset,
        repository,
        cause,
        category,
        subcategory,
        count(cause) as bugs,
        count(impact) > 0 as has_impacts,
        count(cause) filter (where impact = 'speed') as speed,
        count(cause) filter (where impact = 'memory') as memory,
        count(cause) filter (where impact = 'both') as speed_and_memory
    from causes
    group by dataset, repository, cause, category, subcategory
)

select
    dataset,
    repository,
    counted.cause,
    counted.category,
    counted.subcategory,
    counted.bugs,
    totals.all_bugs,
    100 * counted.bugs / totals.all_bugs as percent,
    case when counted.has_impacts then counted.speed end as speed,
    case when counted.has_impacts then counted.memory end as memory,
    case when counted.has_impacts then counted.speed_and_memory end as speed_and_memory
from counted
inner join totals using (dataset, repository)
