select
    study, location, repository, quantity, published_text as published, reproduced, verdict, reason
from analysis.paper_comparison
where verdict <> 'not_derivable'
order by
    list_position(['differs', 'coincides', 'within_rounding', 'exact'], verdict), study, location,
    repository, quantity
