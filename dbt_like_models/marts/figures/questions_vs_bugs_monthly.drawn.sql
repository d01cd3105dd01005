select repository, forum, month, side as color, number as value
from marts.questions_vs_bugs_monthly
unpivot (number for side in (performance_questions, performance_bugs))
order by repository, forum, month, side
