SELECT repository, month, measure, observed, median_before, robust_z_score
FROM marts.volume_anomalies WHERE dataset = 'live' AND is_anomaly
ORDER BY month DESC, abs(robust_z_score) DESC, repository, measure
