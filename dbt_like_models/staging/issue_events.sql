-- What changed the state or the labels of the mined issues, event by event. Published data tell of
-- no events.

select
    'live' as dataset,
    repository,
    number,
    event_id,
    event,
    label,
    actor,
    created_at as changed_at
from raw.issue_events
where event in ('closed', 'reopened', 'labeled', 'unlabeled')
