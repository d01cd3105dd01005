select
    forum, tag_set, kind, questions, accepted, 100 * accepted_share as estimate,
    100 * accepted_share_low as low, 100 * accepted_share_high as high,
    median_hours_to_accepted, km_median_hours_to_accepted as median_with_waiting_ones
from analysis.question_difficulty
qualify tag_set <> 'pooled' or count(distinct tag_set) over (partition by forum) > 2
order by forum, tag_set <> 'pooled', tag_set, kind <> 'all', kind
