select repository, printf(
    'findings of %s: %.0f %% are right [%.0f, %.0f], by %d judged (%s)',
    rule, estimate, low, high, judged, rater
)
from figure_rows
where estimate is not null
