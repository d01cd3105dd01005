-- The texts of the issues of repositories that have benchmark results, in which a report may name a
-- benchmark or a commit: the title with the opening post as comment 0, and the comments.

with

measured as (
    select distinct repository from raw.benchmark_results
),

texts as (
    select
        repository,
        number,
        0 as comment_id,
        created_at as written_at,
        title || ' ' || coalesce(body, '') as written_text
    from raw.issues
    union all
    select
        repository,
        number,
        comment_id,
        created_at as written_at,
        body as written_text
    from raw.issue_comments
    where comment_id > 0  -- the source counts from 1; 0 would be told as the opening post
)

select
    repository,
    number,
    comment_id,
    written_at,
    written_text
from texts
semi join measured using (repository)
