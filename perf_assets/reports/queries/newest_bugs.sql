-- The newest performance bugs.
select repository, number, title, html_url, opened_at
from marts.bug_metrics
where dataset = 'live' and is_performance
order by opened_at desc, repository, number
limit 50
