-- Question: which months lie far outside the months before them?
-- How to read: one line a month and measure whose value is more than 3.5 spreads from the median of the
-- twelve months before, furthest first. It may be news of the project, or a month that was read wrongly.

select
    repository,
    month,
    measure,
    round(value, 4) as value,
    round(median_before, 4) as median_before,
    round(spreads_away, 1) as spreads_away
from marts.month_quality
where dataset = 'live' and is_odd
order by abs(spreads_away) desc, repository, month, measure;
