with matches as (
    select
        repository, unnest(matched_keywords) as keyword, state,
        len(matched_keywords) = 1 and len(matched_labels) = 0 as is_only_reason
    from staging.bug_reports
    where dataset = 'live' and is_performance
)

select
    repository, keyword, count(*) as bug_reports,
    count(*) filter (where is_only_reason) as only_reason,
    count(*) filter (where state = 'open') as open_now
from matches
group by repository, keyword
order by repository, bug_reports desc, keyword
