-- Root causes of performance bugs, as in Table III of the paper: how many bugs have which, their
-- share, and what they cost. Live ones are those that most raters take for performance bugs and
-- give one cause; published ones are the rows of the published taxonomy, which tells no impact.

with

reviewed as (
    select * from staging.reviewed_bugs
),

published as (
    select * from replication.taxonomy
),

bugs as (
    select dataset, repository, category, subcategory, impact
    from reviewed
    where category is not null
    union all
    select 'replication', repository, category, subcategory, cast(null as varchar)
    from published
),

placed as (
    select * from bugs
    union all
    select dataset, 'pooled', category, subcategory, impact from bugs
),

totals as (
    select dataset, repository, count(category) as bugs
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
        category || ' (' || subcategory || ')',
        category,
        subcategory,
        impact
    from placed
    where subcategory is not null
)

select
    causes.dataset,
    causes.repository,
    causes.cause,
    causes.category,
    causes.subcategory,
    count(causes.cause) as bugs,
    any_value(totals.bugs) as total,
    100.0 * count(*) / any_value(totals.bugs) as percentage,
    case
        when count(causes.impact) > 0 then count(*) filter (where causes.impact = 'speed')
    end as speed,
    case
        when count(causes.impact) > 0 then count(*) filter (where causes.impact = 'memory')
    end as memory,
    case
        when count(causes.impact) > 0 then count(*) filter (where causes.impact = 'both')
    end as speed_and_memory
from causes
inner join totals
    on causes.dataset = totals.dataset
    and causes.repository = totals.repository
group by
    causes.dataset, causes.repository, causes.cause, causes.category, causes.subcategory
