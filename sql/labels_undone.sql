-- Question: which performance labels were taken off again, and who had put them on?
-- How to read: the newest first. A label of an automation that people take off is one that it got wrong.
-- Group: labels
-- Words: wrong, bot, automation, unlabeled, removed

with

parameters as (
    select
        coalesce(getvariable('rows'), 20) as rows -- count: how many labels
)

select
    repository,
    number,
    issues.title,
    acts.label,
    acts.labeller,
    acts.actor,
    acts.labelled_at,
    acts.undone_at,
    acts.undone_by
from intermediate.label_acts as acts
inner join staging.issues as issues using (dataset, repository, number)
cross join parameters
where acts.is_performance and acts.undone_at is not null
qualify row_number() over (order by undone_at desc, repository, number, label) <= parameters.rows
order by undone_at desc, repository, number, label;
