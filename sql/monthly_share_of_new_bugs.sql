-- Question: how large is the share of performance bugs among the bugs opened, and among those
-- fixed, in each single month?
-- How to read: one line a month. Unlike the cumulative series of the paper, a month's share
-- here does not carry the months before it along. NULL: nothing was opened (or fixed) that month.
-- Group: trend
-- Words: percentage, series, month

select
    repository,
    month,
    opened_performance,
    opened_total,
    round(100 * opened_performance / nullif(opened_total, 0), 1) as opened_percentage,
    newly_fixed_performance,
    newly_fixed_total,
    round(100 * newly_fixed_performance / nullif(newly_fixed_total, 0), 1)
        as newly_fixed_percentage
from marts.trend_monthly
where dataset = 'live' and is_complete
order by repository, month;
