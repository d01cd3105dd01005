select repository, first || ' - ' || second || ': ' || what as what, estimate, low, high
from figure_rows
where low is not null
qualify row_number() over (partition by repository order by p, abs(estimate) desc, what) <= 12
order by repository, p, abs(estimate) desc, what
