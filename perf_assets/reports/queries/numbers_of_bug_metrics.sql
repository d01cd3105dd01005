select
    count(*) as "bug reports",
    count(*) filter (where is_performance) as "performance bugs",
    100 * count(*) filter (where is_performance) / count(*) as "performance bugs, percent",
    count(*) filter (where is_performance and is_fixed) as "performance bugs, fixed",
    median(fix_time_days) filter (where is_performance and is_fixed)
        as "days to fix a performance bug, median"
from marts.bug_metrics
where dataset = 'live'
