select repository, printf(
    'raters disagree on the %s of %d bug report%s',
    case question
        when 'is_performance' then 'verdict (performance or not)' else replace(question, '_', ' ')
    end,
    count(distinct number), case when count(distinct number) = 1 then '' else 's' end
)
from analysis.rater_disagreements
where dataset = 'live'
group by repository, question
order by repository, question
