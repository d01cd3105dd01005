select
    repository, noticed_at, branch, old_branch, is_rewritten, dropped_commits,
    list_min(months) as "from", list_max(months) as "to"
from meta.branch_changes
order by repository, noticed_at
