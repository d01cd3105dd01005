select repository, source, result_of, method, p_value as p, p_value_holm as p_adjusted
from analysis.adjusted_tests
where dataset = 'live'
order by p_value_holm, p_value, repository, source, result_of
