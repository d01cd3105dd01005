select
    repository, '#' || number as bug_report, question,
    rater_1 || ': ' || answer_1 as one, rater_2 || ': ' || answer_2 as other
from analysis.rater_disagreements
order by repository, number, question, rater_1, rater_2
