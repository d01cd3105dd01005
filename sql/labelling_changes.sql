-- Question: when did the way of labelling change?
-- How to read: the month in which a label that decides, an automation, an issue form or an issue type began
-- or ceased. A series that changes in the same month may show the labelling rather than the project.
-- Group: labels
-- Words: instrument, bot, automation, form, type

select
    repository,
    month,
    result,
    used_on
from marts.instrument_changes
order by repository, month desc, result;
