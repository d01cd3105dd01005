select
    repository, rule, rater, judged, right_ones as "right", wrong_ones as wrong,
    unsure_ones as unsure, estimate_percent as percent,
    low_percent as low, high_percent as high
from analysis.finding_precision
where
    is_listed(repository, (select count(distinct repository) from analysis.finding_precision))
order by repository = 'pooled', repository, rule <> 'all', rule, rater
