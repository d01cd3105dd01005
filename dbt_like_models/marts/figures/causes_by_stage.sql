with crossed as (
    select *, forum || case dataset when 'replication' then ' (as published)' else '' end as whose
    from marts.causes_by_stage
    where dataset = 'live' and code_level = 'subcategory'
),

stages as (
    select whose, 'introducing' as stage_of, cause, introducing_stage as stage, problems,
        total_problems
    from crossed
    union all
    select whose, 'exposing', cause, exposing_stage, problems, total_problems
    from crossed
)

select
    whose, stage_of, cause, stage, cast(sum(problems) as bigint) as problems,
    any_value(total_problems) as total_problems
from stages
group by whose, stage_of, cause, stage
order by whose, stage_of desc, problems desc, cause, stage
