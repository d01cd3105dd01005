select repository || ' and ' || forum, printf(
    '%s to %s: questions with performance stems: %d of %d (%.1f %%), %s; performance bugs among '
    || 'bug reports: %d of %d (%.1f %%), %d of them fixed',
    min(month), max(month),
    sum(performance_questions),
    sum(questions) filter (where performance_questions is not null),
    100 * sum(performance_questions)
        / sum(questions) filter (where performance_questions is not null),
    case
        when coalesce(sum(checked_performance_questions), 0) = 0
            then 'none of them checked by people'
        else printf(
            'people checked %d of them and confirmed %d', sum(checked_performance_questions),
            sum(confirmed_performance_questions)
        )
    end,
    sum(performance_bugs), sum(bug_reports), 100 * sum(performance_bugs) / sum(bug_reports),
    sum(fixed_performance_bugs)
)
from marts.questions_vs_bugs_monthly
group by repository, forum
order by repository, forum
