select
    forum || case dataset when 'replication' then ' (as published)' else '' end as whose,
    aspect, counted, category, subcategory, problems, posts, total_problems,
    case when total_problems >= 5 then percent end as percent,
    wilson_low(problems, case when total_problems >= 5 then total_problems end) as low,
    wilson_high(problems, case when total_problems >= 5 then total_problems end) as high
from marts.problem_distribution
where dataset = 'live' and counted <> 'any_symptom'
order by
    whose, list_position(
        ['symptom', 'root_cause', 'introducing_stage', 'exposing_stage'],
        aspect
    ), counted,
    max(case when subcategory is null then problems end)
        over (partition by whose, aspect, counted, category) desc,
    category, subcategory is not null, problems desc, subcategory
