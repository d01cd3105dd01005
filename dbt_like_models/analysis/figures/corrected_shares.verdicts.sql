select repository, printf(
    'believe %.1f %% [%.1f, %.1f], which %s; the rule says %.1f %%',
    max(percent) filter (where is_believed), max(low) filter (where is_believed),
    max(high) filter (where is_believed),
    case max(method) filter (where is_believed)
        when 'people' then 'people judged'
        when 'corrected' then 'the classifier says, corrected for its errors'
        else 'the rule says'
    end,
    max(percent) filter (where method = 'rule')
)
from figure_rows
group by repository
