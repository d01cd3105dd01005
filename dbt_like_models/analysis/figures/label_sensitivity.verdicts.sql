select repository, printf(
    '%s: %s by the labels of the study; without weak evidence %s; with strong evidence alone %s; '
    || 'by a wider rule %s',
    case result_of
        when 'share' then 'share of performance bugs'
        when 'opened' then 'share among new bug reports'
        else metric_words(result_of)
    end,
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
