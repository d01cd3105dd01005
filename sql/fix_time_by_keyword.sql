-- Question: do bugs of some keywords take longer to fix than those of others?
-- How to read: one line a keyword, with the fixed performance bugs whose title or body has it, and the
-- median and the 90th percentile of their fix time. A bug with several keywords counts for each.
-- Group: fixes
-- Words: slow, duration, word

with

parameters as (
    select
        coalesce(getvariable('least'), 1) as least -- count: keywords with at least so many fixed bugs
),

keywords as (
    select
        dataset,
        repository,
        number,
        unnest(matched_keywords) as keyword
    from staging.bug_reports
    where dataset = 'live' and is_performance
)

select
    repository,
    keyword,
    count(*) as fixed_bugs,
    round(median(fix_time_days), 1) as median_fix_time_days,
    round(quantile_cont(fix_time_days, 0.9), 1) as ninetieth_percentile_days
from keywords
inner join marts.bug_metrics as metrics using (dataset, repository, number)
where metrics.is_fixed
group by repository, keyword
having count(*) >= (select parameters.least from parameters)
order by repository, fixed_bugs desc, keyword;
