select repository, printf(
    '%s: %.0f %% [%.0f, %.0f], from %d bug reports that were judged (%s)',
    case measure
        when 'corrected_share' then 'share of performance bugs, corrected by the verdicts'
        else measure || ' of the labels'
    end,
    estimate, low, high, judged, rater
)
from figure_rows
where rule = 'all' and estimate is not null
