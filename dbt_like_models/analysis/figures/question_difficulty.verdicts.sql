select forum || ', ' || tag_set, kind || ': ' || result
from analysis.question_difficulty
where kind in ('all', 'other', 'performance')
qualify tag_set <> 'pooled' or count(distinct tag_set) over (partition by forum) > 2
order by forum, tag_set = 'pooled', tag_set, kind
