select
    forum || case dataset when 'replication' then ' (as published)' else '' end as whose,
    symptom, cause, problems, posts, total_problems,
    sum(problems) over (partition by whose, symptom) as of_symptom,
    sum(problems) over (partition by whose, cause) as of_cause
from marts.symptoms_by_cause
where dataset = 'live' and counted = 'first_symptom' and code_level = 'subcategory'
order by whose, problems desc, symptom, cause
