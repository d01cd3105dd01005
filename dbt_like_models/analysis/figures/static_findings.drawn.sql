select repository, quarter, rule, findings
from figure_rows
qualify sum(findings) over (partition by repository, rule) > 0
order by repository, quarter, rule
