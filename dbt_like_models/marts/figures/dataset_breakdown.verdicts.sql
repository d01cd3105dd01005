select repository, string_agg(
    printf(
        '%d %s (%s)', n, step,
        case
            when percent is null then printf('performance bugs: %d', performance_bugs)
            else printf(
                'performance bugs: %d, %.1f %% [%.1f, %.1f]', performance_bugs, percent, low, high
            )
        end
    ),
    '; ' order by list_position(
        ['issues', 'bug reports', 'closed bug reports', 'fixed bug reports'],
        step
    )
)
from figure_rows
group by repository
order by repository = 'pooled', repository
