select forum, printf(
    'comments that count as endorsing an answer (%s): %.0f %% [%.0f, %.0f] endorse it, from %d '
    || 'judged (%s)',
    endorsement, estimate, low, high, judged_comments, rater
)
from figure_rows
where estimate is not null
