-- All performance bugs, the most commented first.
select repository, number, title, html_url, comments, month, state, is_fixed
from marts.bug_metrics
where dataset = 'live' and is_performance
order by repository, comments desc, number
