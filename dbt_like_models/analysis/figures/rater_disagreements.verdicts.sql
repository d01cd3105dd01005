select repository, printf('raters disagree on %s of %d bug reports',
    replace(question, '_', ' '), count(distinct number))
from analysis.rater_disagreements
where dataset = 'live'
group by repository, question
order by repository, question
