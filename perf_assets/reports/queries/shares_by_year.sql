-- New bug reports by calendar year, and how many of them are performance bugs.
select
    repository, left(month, 4) as year, sum(opened_total) as new_bug_reports,
    sum(opened_performance) as performance_bugs,
    round(100.0 * sum(opened_performance) / nullif(sum(opened_total), 0), 1) as percent
from marts.trend_monthly
where dataset = 'live'
group by all
order by repository, year
