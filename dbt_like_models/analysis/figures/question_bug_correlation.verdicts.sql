select
    repository || ' and ' || forum, case
        when max(statistic) is null then any_value(result)
        when not bool_or(coalesce(is_outside_band, false))
            then 'at no lag of a year each way do they go together more than by chance'
        else 'they go together more than by chance where performance bugs are later by so many '
            || 'months: ' || string_agg(printf('%+d (%+.2f)', lag, statistic), ', ' order by lag)
                filter (where is_outside_band)
            || '; a season or an event that both follow does so too'
    end
from analysis.question_bug_correlation
group by repository, forum
order by repository, forum
