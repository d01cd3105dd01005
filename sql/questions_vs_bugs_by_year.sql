-- Question: do users ask more about performance where developers have more performance bugs?
-- How to read: one line for each framework and year, questions on the left, bug reports on the right,
-- and how many of each found an accepted answer or a fix. Questions are candidates, by their stems;
-- checked and confirmed count those that people read, and took for ones about performance. Only months count in which both are loaded;
-- analysis.question_bug_correlation tells whether they go together from month to month.
-- Group: forums
-- Words: stack overflow, trend

select
    repository,
    forum,
    left(month, 4) as year,
    count(*) as months,
    cast(sum(performance_questions) as bigint) as performance_questions,
    cast(sum(checked_performance_questions) as bigint) as checked,
    cast(sum(confirmed_performance_questions) as bigint) as confirmed,
    round(100 * sum(performance_questions) / nullif(sum(questions), 0), 1) as percent_of_questions,
    round(
        100 * sum(accepted_performance_questions) / nullif(sum(performance_questions), 0), 1
    ) as accepted_percentage,
    cast(sum(performance_bugs) as bigint) as performance_bugs,
    round(100 * sum(performance_bugs) / nullif(sum(bug_reports), 0), 1) as percent_of_bugs,
    cast(sum(fixed_performance_bugs) as bigint) as fixed
from marts.questions_vs_bugs_monthly
where performance_questions is not null
group by repository, forum, year
order by repository, forum, year;
