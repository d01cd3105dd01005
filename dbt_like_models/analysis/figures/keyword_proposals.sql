select
    repository, rank, term, titles_performance, titles_other, titles_missed, log_odds_ratio, z,
    is_covered
from analysis.keyword_proposals
where dataset = 'live' and is_listed(
    repository,
    (select count(distinct repository) from analysis.keyword_proposals where dataset = 'live')
)
order by repository = 'pooled', repository, rank
