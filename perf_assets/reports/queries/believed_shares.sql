select repository, estimate_percent as estimate, low_percent as low, high_percent as high
from analysis.corrected_shares
where dataset = 'live' and is_believed and method <> 'rule'
