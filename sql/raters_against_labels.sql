-- Question: which bug reports do people judge otherwise than the labels do?
-- How to read: one line a bug report and rater whose verdict (yes or no) contradicts the label, with what
-- the label rests on. Many of one keyword: it matches what is no performance bug.
-- Group: labels
-- Words: review, precision, recall, verdict

select
    repository,
    number,
    rater,
    verdict,
    is_performance as labelled_as_performance,
    list_concat(matched_labels, matched_keywords) as matched,
    title,
    html_url
from staging.verdicts
where (verdict = 'yes' and not is_performance) or (verdict = 'no' and is_performance)
order by repository, number, rater;
