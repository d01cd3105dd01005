select place, printf(
    '%s: kappa = %.2f [%.2f, %.2f], %s, of %d judged by %s',
    replace(asked, '_', ' '), estimate, low, high, reading, n, raters
)
from figure_rows
where estimate is not null
