-- The months of each forum that are loaded for all of its tag sets: a question of several is stored
-- with the first of them, so that a count of one needs the others too.

with

loads as (
    select * from meta.partition_loads where "table" = 'raw.questions' and is_stored
),

tag_sets as (
    select * from meta.tag_sets
),

loaded as (
    select
        tag_sets.forum,
        loads.month,
        count(tag_sets.tag_set) as tag_sets
    from tag_sets
    inner join loads on tag_sets.forum || ':' || tag_sets.tag_set = loads.repository
    group by tag_sets.forum, loads.month
),

wanted as (
    select
        forum,
        count(tag_set) as tag_sets
    from tag_sets
    group by forum
)

select
    forum,
    loaded.month
from loaded
inner join wanted using (forum, tag_sets)
