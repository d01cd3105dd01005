select repository, printf(
    'findings of %s: %.0f %% [%.0f, %.0f] are right, from %d judged (%s)',
    rule, estimate, low, high, judged, rater
)
from figure_rows
where estimate is not null
