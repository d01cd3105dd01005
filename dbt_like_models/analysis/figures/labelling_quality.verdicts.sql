select repository, printf(
    '%s of the labels %.0f %% [%.0f, %.0f], by %d bug reports judged (%s)',
    replace(measure, '_', ' '), estimate, low, high, judged, rater
)
from figure_rows
where rule = 'all' and estimate is not null
