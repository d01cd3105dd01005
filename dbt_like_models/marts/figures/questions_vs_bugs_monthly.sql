select
    repository, forum, month, questions, performance_questions as candidates,
    checked_performance_questions as checked, confirmed_performance_questions as confirmed,
    bug_reports, performance_bugs, fixed_performance_bugs
from marts.questions_vs_bugs_monthly
order by month desc, repository, forum
