select
    repository || ': bots are left out of comments, commentators and first comments. '
    || 'Hours to the first comment as the paper counted them, '
    || result
from analysis.bot_sensitivity
where
    dataset = 'live' and repository <> 'pooled' and bots = 'counted'
    and metric = 'hours_to_first_comment' and with_bots > 0
order by repository
