-- How much of the bug reports is about performance, by who says so.
select
    repository, method, estimate_percent as percent, low_percent as low, high_percent as high,
    is_believed
from analysis.corrected_shares
where dataset = 'live' and repository <> 'pooled'
order by repository, list_position(['people', 'corrected', 'classifier', 'rule'], method)
