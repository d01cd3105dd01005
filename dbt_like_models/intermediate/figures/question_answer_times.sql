select
    forum, kind, count(*) as questions,
    count(*) filter (where is_accepted) as accepted,
    count(*) filter (where not is_accepted) as never_accepted,
    quantile_cont(hours, 0.25) filter (where is_accepted) as lower_quartile_hours,
    quantile_cont(hours, 0.5) filter (where is_accepted) as median_hours,
    quantile_cont(hours, 0.75) filter (where is_accepted) as upper_quartile_hours
from queries.question_waits
group by forum, kind
order by forum, never_accepted / questions desc, kind
