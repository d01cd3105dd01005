select repository, count(*) filter (where fix_not_analysed = 'not_looked_at') as left_out, count(*)
from marts.bug_metrics
where dataset = 'live' and fix_commits > 0
group by repository
having left_out > 0
order by repository
