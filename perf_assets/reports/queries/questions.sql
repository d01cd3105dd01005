select
    forum, rater, is_labelled as labelled, count(distinct question_id) as judged,
    count(distinct question_id) filter (where verdict = 'yes') as yes,
    count(distinct question_id) filter (where verdict = 'unsure') as unsure
from staging.question_verdicts
group by forum, rater, is_labelled
order by forum, rater, is_labelled desc
