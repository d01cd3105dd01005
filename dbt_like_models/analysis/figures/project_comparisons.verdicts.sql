select repository, case
    when count(*) filter (where p < 0.05) = 0
        then printf('%d comparisons; none shows a difference among like bugs', count(*))
    else printf(
        '%d comparisons; differences among like bugs (adjusted p < 0.05): %s', count(*),
        string_agg(
            printf('%s of %s against %s (%+.2f)', what, first, second, estimate), ', '
            order by p, first, what
        ) filter (where p < 0.05)
    )
end
from figure_rows
group by repository
order by repository
