-- The root cause of each performance bug that has one: of the mined bugs those that most raters take
-- for performance bugs and give one cause, of the published ones the rows of the taxonomy, which
-- tells no impact.

with

reviewed as (
    select * from intermediate.reviewed_bugs where category is not null
),

published as (
    select * from replication.taxonomy
)

select
    dataset,
    repository,
    number,
    1 as occurrence,
    category,
    subcategory,
    impact
from reviewed
union all
select
    'replication' as dataset,
    repository,
    number,
    occurrence,
    category,
    subcategory,
    cast(null as varchar) as impact
from published
