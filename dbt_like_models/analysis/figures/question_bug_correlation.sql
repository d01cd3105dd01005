select repository, forum, lag, n, statistic, low, high, band, is_outside_band
from analysis.question_bug_correlation
order by repository, forum, lag
