select
    repository, method, bug_reports, estimate_percent as percent, low_percent as low,
    high_percent as high, is_believed
from analysis.corrected_shares
where
    dataset = 'live' and is_listed(
        repository,
        (select count(distinct repository) from analysis.corrected_shares where dataset = 'live')
    )
order by repository = 'pooled', repository, method
