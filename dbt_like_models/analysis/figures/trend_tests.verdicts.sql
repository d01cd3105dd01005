select repository, printf(
    'share among %s: %s%s',
    case series
        when 'opened' then 'new bug reports'
        when 'newly_fixed' then 'newly fixed bugs'
        when 'open' then 'open bug reports'
        else 'fixed bugs'
    end,
    case when is_too_few then '' else verdict || '; ' end,
    case when is_too_few then result else coalesce(
        printf('odds x %.2f a year [%.2f, %.2f]', odds_a_year, low, high),
        printf('%+.2f points a year', points_a_year),
        'no estimate'
    ) || ', ' || p_text(p)
    || ', adjusted for all headline tests ' || p_text(p_adjusted)
    || case when verdict = 'no change shown' and power < 0.8 then printf(
        '; if the odds doubled in three years, the test would show it in %.0f %% of such projects',
        100 * power
    ) else '' end end
)
from figure_rows
