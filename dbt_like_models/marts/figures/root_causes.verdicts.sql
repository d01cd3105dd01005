select repository, case
    when any_value(all_bugs) < 5 then printf(
        '%d performance bugs have a root cause that raters agree on: too few for shares, at least '
        || '5 are needed', any_value(all_bugs)
    )
    else printf(
        '%d performance bugs have a root cause that raters agree on; most often %s',
        any_value(all_bugs),
        string_agg(
            printf('%s (%d, %.0f %% [%.0f, %.0f])', category, bugs, percent, low, high), ', '
            order by bugs desc, category
        ) filter (where place <= 3)
    )
end
from (
    select *, row_number() over (partition by repository order by bugs desc, category) as place
    from figure_rows
    where subcategory is null
)
group by repository
order by repository = 'pooled', repository
