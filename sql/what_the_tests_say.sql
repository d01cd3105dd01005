-- Question: which results of the study hold when all of its tests are counted?
-- How to read: one line a test that the summary prints, the surest first. holds says whether its p-value,
-- adjusted for the number of tests of the dataset (Holm), is below 0.05; result_of is a series of
-- analysis.trend_tests, an event of analysis.fix_incidence, a metric of analysis.group_comparisons, or the
-- part of the closing in analysis.open_share_changes, where the result stands in words.
-- Group: trend
-- Words: significance, p-value, Holm

select
    dataset,
    repository,
    source,
    result_of,
    replace(method, '_', ' ') as method,
    p_value,
    p_value_holm,
    tests,
    coalesce(p_value_holm < 0.05, false) as holds
from analysis.adjusted_tests
order by dataset, p_value_holm nulls last, p_value, repository, source, result_of;
