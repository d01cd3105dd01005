select forum || ', ' || tag_set, printf(
    '%d of %d questions (%.1f %% [%.1f, %.1f]) have a performance stem (stems %s)',
    questions, all_questions, percent, low, high, replace(stem_set, '_', ' ')
)
from (
    select *,
    wilson_low(questions, all_questions) as low, wilson_high(questions, all_questions) as high
    from analysis.keyword_stem_hits
    where all_questions > 0
)
where entry = 'any'
qualify tag_set <> 'pooled' or count(distinct tag_set) over (partition by forum) > 2
order by forum, tag_set = 'pooled', tag_set, stem_set
