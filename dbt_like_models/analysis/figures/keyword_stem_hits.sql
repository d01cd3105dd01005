select forum, tag_set, entry, stem_set, questions, only_by_it, all_questions, percent
from analysis.keyword_stem_hits
where entry <> 'any' and stem = entry
qualify tag_set <> 'pooled' or count(distinct tag_set) over (partition by forum) > 2
order by forum, tag_set = 'pooled', tag_set, questions desc, entry, stem_set
