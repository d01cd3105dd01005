select repository, printf(
    '%d keywords mark performance bugs; the most frequent are %s', count(*),
    string_agg(printf('%s (%d)', keyword, bug_reports), ', ' order by bug_reports desc, keyword)
        filter (where place <= 5)
)
from (
    select
        *, row_number() over (partition by repository order by bug_reports desc, keyword) as place
    from figure_rows
)
group by repository
order by repository
