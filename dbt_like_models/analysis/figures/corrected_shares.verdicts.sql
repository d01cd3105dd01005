select repository, printf(
    'the report believes %.1f %% [%.1f, %.1f], by %s; words and labels alone give %.1f %%',
    max(percent) filter (where is_believed), max(low) filter (where is_believed),
    max(high) filter (where is_believed),
    case max(method) filter (where is_believed)
        when 'people' then 'people who judged a sample'
        when 'corrected' then 'the classifier, corrected for its errors'
        else 'words and labels'
    end,
    max(percent) filter (where method = 'rule')
)
from figure_rows
group by repository
