select place, printf(
    '%s: kappa = %.2f %s (%s), from %d judged by %s',
    case
        when asked = 'is_performance' then 'performance or not' else replace(asked, '_', ' ')
    end, estimate,
    coalesce(printf('[%.2f, %.2f]', low, high), 'without an interval, because no answer differs'),
    reading, n, raters
)
from figure_rows
where estimate is not null
