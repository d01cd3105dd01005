select repository, 'titles of performance bugs have more often than others: ' || string_agg(
    term, ', ' order by rank
)
from analysis.keyword_proposals
where
    dataset = 'live' and not is_covered and rank <= 10
    and (
        repository <> 'pooled'
        or (
            select count(distinct repository) > 2
            from analysis.keyword_proposals
            where dataset = 'live'
        )
    )
group by repository
order by repository = 'pooled', repository
