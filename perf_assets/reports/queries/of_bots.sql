select
    repository || ': comments, commentators and first answers are those of persons. '
    || 'As the paper counted, '
    || result
from analysis.bot_sensitivity
where
    dataset = 'live' and repository <> 'pooled' and bots = 'counted'
    and metric = 'hours_to_first_comment' and with_bots > 0
order by repository
