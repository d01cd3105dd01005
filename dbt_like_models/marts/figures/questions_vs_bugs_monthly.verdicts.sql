select repository || ' and ' || forum, printf(
    '%s to %s: %d of %d questions are candidates for performance by their stems (%.1f %%), %s; '
    || '%d of %d bug reports are performance bugs (%.1f %%), %d of them were fixed',
    min(month), max(month),
    sum(performance_questions),
    sum(questions) filter (where performance_questions is not null),
    100 * sum(performance_questions)
        / sum(questions) filter (where performance_questions is not null),
    case
        when coalesce(sum(checked_performance_questions), 0) = 0 then 'of which nobody checked any'
        else printf(
            'of which people checked %d and confirmed %d', sum(checked_performance_questions),
            sum(confirmed_performance_questions)
        )
    end,
    sum(performance_bugs), sum(bug_reports), 100 * sum(performance_bugs) / sum(bug_reports),
    sum(fixed_performance_bugs)
)
from marts.questions_vs_bugs_monthly
group by repository, forum
order by repository, forum
