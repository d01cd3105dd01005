select
    repository, rule, rater, judged, right_ones, wrong_ones, unsure_ones,
    estimate_percent as estimate, low_percent as low, high_percent as high
from analysis.finding_precision
order by repository = 'pooled', repository, rule <> 'all', rule, rater
