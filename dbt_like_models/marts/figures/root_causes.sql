select
    repository, category, subcategory, bugs, all_bugs, percent, low, high, speed, memory,
    speed_and_memory as both
from (
    select *, wilson_low(bugs, all_bugs) as low, wilson_high(bugs, all_bugs) as high
    from marts.root_causes
    where dataset = 'live'
)
where
    is_listed(
        repository,
        (select count(distinct repository) from marts.root_causes where dataset = 'live')
    )
order by
    repository = 'pooled', repository,
    max(case when subcategory is null then bugs end) over (partition by repository, category) desc,
    category, subcategory is not null, bugs desc, subcategory
