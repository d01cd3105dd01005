select
    repository || ' and ' || forum, case
        when max(statistic) is null then any_value(result)
        when not bool_or(coalesce(is_outside_band, false))
            then 'they do not go together more than by chance at any lag up to a year'
        else 'they go together more than by chance when performance bugs follow by this many '
            || 'months: ' || string_agg(printf('%+d (%+.2f)', lag, statistic), ', ' order by lag)
                filter (where is_outside_band)
            || '; a season or a shared event has the same effect'
    end
from analysis.question_bug_correlation
group by repository, forum
order by repository, forum
