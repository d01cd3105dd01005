select repository, number, question, rater_1, answer_1, rater_2, answer_2, title, html_url
from analysis.rater_disagreements
where dataset = 'live'
order by repository, number, question, rater_1, rater_2
