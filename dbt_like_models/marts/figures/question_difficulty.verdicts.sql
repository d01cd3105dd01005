select forum || ', ' || tag_set, 'asked most: ' || string_agg(printf(
    '%s (%d of %d questions, %.1f %% [%.1f, %.1f])',
    replace(kind, '_', ' '), questions, cast(round(100 * questions / estimate) as bigint),
    estimate, low, high
), ', ' order by question_rank, kind)
from figure_rows
where question_rank <= 3
group by forum, tag_set
order by forum, tag_set = 'pooled', tag_set
