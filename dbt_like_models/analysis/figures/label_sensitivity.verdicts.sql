select repository, printf(
    '%s: %s by the study''s labels; %s without weak ones, %s by strong ones alone, %s with '
    || 'more words',
    replace(result_of, '_', ' '),
    any_value(result) filter (where label_rule = 'study'),
    any_value(result) filter (where label_rule = 'without_weak'),
    any_value(result) filter (where label_rule = 'strong_alone'),
    any_value(result) filter (where label_rule = 'widened')
)
from analysis.label_sensitivity as tests
where
    dataset = 'live' and result_of in ('share', 'opened', 'fix_time_days', 'fix_size')
    and is_listed(
        tests.repository,
        (select count(distinct repository) from analysis.label_sensitivity where dataset = 'live')
    )
group by repository, result_of
having not bool_or(is_too_few) filter (where label_rule = 'study')
order by
    repository = 'pooled', repository,
    list_position(['share', 'opened', 'fix_time_days', 'fix_size'], result_of)
