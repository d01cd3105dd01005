select
    repository,
    printf('%d of %d months passed their audits', passed, months)
    || case when refused > 0 then '; newest refused month: ' || newest_refused else '' end
from figure_rows
