-- The bug reports of each dataset: the studied issues that are not marked as something else, with
-- their state and what makes them performance bugs or not. Issues of repositories that left the
-- study, and of months before its first one, do not appear.

select
    dataset,
    repository,
    number,
    month,
    title,
    html_url,
    author,
    author_type,
    author_association,
    state,
    state_reason,
    labels,
    opened_at,
    closed_at,
    is_performance,
    matched_labels,
    matched_keywords,
    matched_in,
    strength,
    widened_keywords
from staging.issues
where is_bug_report
