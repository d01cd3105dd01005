-- The performance bugs by the moment of their report, the newest first.
select
    repository, number, title, html_url, opened_at,
    list_concat(matched_labels, matched_keywords) as marked_by
from staging.bug_reports
where dataset = 'live' and is_performance
order by opened_at desc, repository, number
limit 50
