select repository, measure, month, observed as value, median_before, is_anomaly
from marts.volume_anomalies
where dataset = 'live'
order by all
