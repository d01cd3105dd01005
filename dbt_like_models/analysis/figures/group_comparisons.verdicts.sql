-- Metrics that are too few for the same reason share a sentence.
with results as (
    select
        repository, metric_words(metric) as metric,
        metric_order(metric) as place,
        too_few_reason is not null as is_too_few,
        coalesce(too_few_reason, printf(
            'median %s for %d performance bugs, %s for %d others%s; rank-sum test %s, '
            || 'delta = %.3f%s',
            printf('%.4g', median_performance), n_performance,
            printf('%.4g', median_other), n_other,
            coalesce(case when abs(percent_larger) >= 0.5 then printf(
                ' (%.0f %% %s)', abs(percent_larger),
                case
                    when metric in ('fix_size', 'comments', 'commentators') and percent_larger >= 0
                        then 'more'
                    when metric in ('fix_size', 'comments', 'commentators') then 'fewer'
                    when percent_larger >= 0 then 'longer'
                    else 'shorter'
                end
            ) end, ''),
            p_text(rank_sum_p), rank_sum_delta,
            case when method = 'van_elteren' then printf(
                '; compared within repositories (van Elteren) %s, delta = %.3f',
                p_text(p_within_repositories), delta_within_repositories
            ) else '' end
        )) as result
    from figure_rows
)

select repository, string_agg(metric, ', ' order by place) || ': ' || result
from results
group by repository, result, is_too_few
order by repository = 'pooled', repository, is_too_few, min(place)
