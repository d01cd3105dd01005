select
    repository,
    'words more frequent in titles of performance bugs than in others: '
    || string_agg(term, ', ' order by rank)
from analysis.keyword_proposals
where
    dataset = 'live' and not is_covered and rank <= 10
    and is_listed(
        repository,
        (select count(distinct repository) from analysis.keyword_proposals where dataset = 'live')
    )
group by repository
order by repository = 'pooled', repository
