-- Question: which differences between two repositories are more than chance?
-- How to read: one line a pair and metric. The effect (Cliff's delta, of is_performance the difference of
-- the shares) is above 0 where the first has the larger values; adjusted_effect compares only bug reports
-- that are alike in year, association of the reporter and size of the fix, and adjusted_p allows for the
-- number of comparisons. Of the ten largest; with one repository there is nothing to compare.
-- Group: trend
-- Words: compare, versus, test, effect, significant

with

parameters as (
    select
        coalesce(getvariable('repository'), '%') as repository -- repositories of meta.repositories: pairs with this repository (% stands for any text)
)

select
    first,
    second,
    metric,
    n_first,
    n_second,
    level_first,
    level_second,
    round(cliffs_delta, 3) as effect,
    round(adjusted_cliffs_delta, 3) as adjusted_effect,
    adjusted_p_value_holm as adjusted_p,
    is_too_few,
    result
from analysis.project_comparisons
cross join parameters
where
    dataset = 'live' and compared = 'repositories'
    and (first like parameters.repository or second like parameters.repository)
order by first, second, metric;
