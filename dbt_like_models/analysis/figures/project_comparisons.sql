select
    repository, first, second,
    case metric
        when 'is_performance' then 'share of performance bugs'
        when 'fix_time_days' then 'fix time'
        when 'fix_size' then 'fix size'
        when 'hours_to_first_comment' then 'time to first comment'
        when 'hours_to_first_member_comment' then 'time to a member''s comment'
        when 'comments' then 'comments'
    end as what,
    n_first, n_second, level_first, level_second,
    cliffs_delta as among_all, adjusted_cliffs_delta as estimate, adjusted_cliffs_delta_low as low,
    adjusted_cliffs_delta_high as high, adjusted_p_value_holm as p, n_matched_first,
    n_matched_second
from analysis.project_comparisons
where dataset = 'live' and not is_too_few and adjusted_cliffs_delta is not null
order by compared <> 'repositories', repository, p, first, second, metric
