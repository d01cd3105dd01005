-- Question: how much does the share of performance bugs depend on each keyword?
-- How to read: one line a keyword: the share of performance bugs as it is, what it would be without the
-- keyword, and the loss in percentage points. A large loss by one keyword: read some of its bugs first.
-- Group: labels
-- Words: robustness, word

with

bugs as (
    select
        repository,
        is_performance,
        matched_labels,
        matched_keywords
    from staging.bug_reports
    where dataset = 'live'
),

totals as (
    select
        repository,
        count(*) as bug_reports,
        count(*) filter (where is_performance) as performance_bugs
    from bugs
    group by repository
),

sole as (
    select
        repository,
        matched_keywords[1] as keyword,
        count(*) as lost
    from bugs
    where is_performance and array_length(matched_labels) = 0 and array_length(matched_keywords) = 1
    group by repository, keyword
)

select
    repository,
    sole.keyword,
    sole.lost as bugs_lost,
    round(100 * totals.performance_bugs / totals.bug_reports, 2) as percentage,
    round(100 * (totals.performance_bugs - sole.lost) / totals.bug_reports, 2)
        as percentage_without,
    round(100 * sole.lost / totals.bug_reports, 2) as points_lost
from sole
inner join totals using (repository)
order by repository, bugs_lost desc, sole.keyword;
