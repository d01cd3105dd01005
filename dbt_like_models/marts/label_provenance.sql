-- Who puts the labels on that decide: by month and by kind of labeller, how many, how soon, and how
-- many of them were taken off again. Of automations one row for each account.

select
    repository,
    month,
    is_performance,
    labeller,
    case when labeller = 'automation' then actor else '' end as account,
    count(event_id) as labels_put_on,
    count(distinct number) as labelled_issues,
    median(microseconds_to_label) / 3600000000 as median_hours_to_label,
    count(undone_at) as undone,
    100 * count(undone_at) / count(event_id) as undone_percent
from intermediate.label_acts
group by
    repository,
    month,
    is_performance,
    labeller,
    case when labeller = 'automation' then actor else '' end
