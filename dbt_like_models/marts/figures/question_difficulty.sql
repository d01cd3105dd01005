select
    forum, tag_set, kind, question_rank, questions, 100 * question_share as estimate,
    100 * question_share_low as low, 100 * question_share_high as high
from (
    from analysis.question_difficulty
    qualify tag_set <> 'pooled' or count(distinct tag_set) over (partition by forum) > 2
)
where kind not in ('all', 'other')
order by forum, tag_set <> 'pooled', tag_set, question_rank, kind
