select
    repository, count(distinct month) filter (where is_anomaly) as odd_months
from marts.volume_anomalies
where dataset = 'live'
group by repository
