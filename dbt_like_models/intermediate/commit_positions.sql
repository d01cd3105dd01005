-- The commits of the default branch in the order of their times, numbered from 0, of the repositories
-- that have benchmark results.

select
    repository,
    sha,
    committed_at,
    message,
    row_number() over (partition by repository order by committed_at, sha) - 1 as commit_position
from raw.commits
where repository in (select repository from raw.benchmark_results)
