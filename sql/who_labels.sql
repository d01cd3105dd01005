-- Question: who puts performance labels on, how soon, and how many are taken off again?
-- How to read: one line for each kind of labeller, and for each automation. A form labels in the author's
-- name when the issue is opened. undone counts labels that somebody took off later.
-- Group: labels
-- Words: automation, bot, form, provenance, triage, undone

select
    repository,
    labeller,
    case when labeller = 'automation' then actor else '' end as account,
    count(*) as labels_put_on,
    min(month) as first_month,
    max(month) as last_month,
    round(median(microseconds_to_label) / 3600000000, 1) as median_hours_to_label,
    count(undone_at) as undone,
    round(100 * count(undone_at) / count(*), 1) as undone_percentage
from intermediate.label_acts
where is_performance
group by repository, labeller, case when labeller = 'automation' then actor else '' end
order by repository, labels_put_on desc, labeller, account;
