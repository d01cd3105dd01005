select
    forum, endorsement, rater, judged_comments as judged, right_comments as "right",
    wrong_comments as wrong, unsure_comments as unsure,
    estimate_percent as percent, low_percent as low, high_percent as high
from analysis.endorsement_precision
order by forum, endorsement, rater
