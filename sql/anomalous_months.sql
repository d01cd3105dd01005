-- Question: which months lie far outside the months before them?
-- How to read: one line a month and measure whose value is more than 3.5 spreads from the median of the
-- twelve months before, furthest first. It may be news of the project, or a month that was read wrongly.
-- Group: data quality
-- Words: outlier, odd

select
    repository,
    month,
    measure,
    round(observed, 4) as observed,
    round(median_before, 4) as median_before,
    round(robust_z_score, 1) as robust_z_score
from marts.volume_anomalies
where dataset = 'live' and is_anomaly
order by abs(robust_z_score) desc, repository, month, measure;
