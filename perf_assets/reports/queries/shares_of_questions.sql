select *, wilson_low(performance, asked) as low, wilson_high(performance, asked) as high
from (
    select
        repository, sum(asked) as asked,
        coalesce(sum(asked) filter (where questions = 'performance'), 0) as performance,
        coalesce(sum(asked) filter (where questions = 'other'), 0) as others,
        coalesce(sum(accepted) filter (where questions = 'performance'), 0) as accepted,
        coalesce(sum(accepted) filter (where questions = 'other'), 0) as others_accepted
    from queries.asked
    group by repository
)
order by repository
