select repository, coalesce(too_few_reason, printf(
    'median time from the introducing commit to the report: %.0f days for performance bugs, %.0f '
    || 'for others; delta = %.3f (%s), %s; the commit is known for %d and %d bugs',
    median_days_performance, median_days_other, estimate, magnitude, p_text(p),
    introduced_performance, introduced_other
))
from figure_rows
where role = 'result' and introduced_performance + introduced_other > 0
