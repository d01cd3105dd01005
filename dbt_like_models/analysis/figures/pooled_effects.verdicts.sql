select 'pooled', string_agg(what || ': ' || result, '; ' order by what)
from figure_rows
having count(*) > 0
