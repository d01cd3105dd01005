select repository, string_agg(printf('%s: %s', month, result), '; ' order by month desc, result)
from figure_rows
group by repository
order by repository
