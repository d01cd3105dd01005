select
    repository, variant, periods, reports, performance, percent,
    odds_ratio_per_year as odds, odds_ratio_low as low, odds_ratio_high as high,
    p_value as p, result
from analysis.trend_variants
order by
    repository,
    list_position(['all', 'not_rejected', 'duplicates_folded', 'within_periods'], variant)
