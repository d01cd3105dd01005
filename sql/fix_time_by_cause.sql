-- Question: do performance bugs of some root causes take longer to fix than those of others?
-- How to read: one line a root cause that raters (or the paper's package) gave, with its bugs, how many
-- are fixed, and the median fix time and fix size of these. There is nothing before somebody judged.
-- Group: fixes
-- Words: slow, duration

select
    dataset,
    repository,
    causes.category,
    count(distinct number) as bugs,
    count(distinct number) filter (where metrics.is_fixed) as fixed_bugs,
    round(median(metrics.fix_time_days), 1) as median_fix_time_days,
    median(metrics.fix_size) filter (where metrics.is_fixed) as median_fix_size
from intermediate.bug_causes as causes
inner join marts.bug_metrics as metrics using (dataset, repository, number)
where causes.category is not null
group by dataset, repository, causes.category
order by dataset, repository, bugs desc, causes.category;
