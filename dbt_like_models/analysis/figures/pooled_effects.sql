select
    dataset, replace(metric, '_', ' ') as what, n as repositories, cliffs_delta as estimate,
    cliffs_delta_low as low, cliffs_delta_high as high, p_value as p, tau, i_squared,
    heterogeneity_p_value, prediction_low, prediction_high, result
from analysis.pooled_effects
where dataset = 'live'
order by metric
