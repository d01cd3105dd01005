select repository, coalesce(too_few_reason, printf(
    'performance bugs lived %.0f days in the median before they were reported, others %.0f: '
    || 'delta = %.3f (%s), %s, from %d and %d bugs whose introducing commit was found',
    median_days_performance, median_days_other, estimate, magnitude, p_text(p),
    introduced_performance, introduced_other
))
from figure_rows
where role = 'result' and introduced_performance + introduced_other > 0
