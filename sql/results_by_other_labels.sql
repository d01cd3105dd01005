-- Question: do the headline results hold without weak labels, and with more words?
-- How to read: one line a result; study is the rule of the study, without_weak takes no label that rests on
-- weak evidence alone, strong_alone none but strong ones, widened also titles with a word of the widened
-- list. Each cell is the result in words.
-- Group: labels
-- Words: sensitivity, robustness, strong, weak

select
    dataset,
    repository,
    result_of,
    max(result) filter (where label_rule = 'study') as study,
    max(result) filter (where label_rule = 'without_weak') as without_weak,
    max(result) filter (where label_rule = 'strong_alone') as strong_alone,
    max(result) filter (where label_rule = 'widened') as widened
from analysis.label_sensitivity
group by dataset, repository, result_of
order by dataset, repository, result_of;
