select
    forum, endorsement, rater, judged_comments, right_comments, wrong_comments, unsure_comments,
    estimate_percent as estimate, low_percent as low, high_percent as high
from analysis.endorsement_precision
order by forum, endorsement, rater
