with last_months as (
    select dataset, repository, last_series_month as month
    from marts.activity
    where dataset = 'live'
)

select
    issues.repository, issues.number, issues.title, issues.html_url, issues.state,
    count(*) as comments, count(distinct comments.author) as people
from last_months
inner join raw.issue_comments as comments
    on comments.repository = last_months.repository
    and strftime(comments.created_at at time zone 'UTC', '%Y-%m') = last_months.month
    and comments.author_type is distinct from 'Bot'
inner join staging.bug_reports as issues
    on issues.dataset = last_months.dataset and issues.repository = comments.repository
    and issues.number = comments.number
where issues.is_performance
group by all
order by issues.repository, comments desc, people desc, issues.number
