-- Question: which members take part in the open performance bugs?
-- How to read: one line a member of the project (owner, member or collaborator in GitHub's words) who
-- commented on an open performance bug, with these bugs and their comments. Whom an issue is assigned
-- to is not stored. Nobody is listed where GitHub did not say who the members are.
-- Group: people
-- Words: assign, assigned, assignee, maintainer, responsible

with

open_bugs as (
    select
        repository,
        number
    from marts.bug_metrics
    where dataset = 'live' and is_performance and state = 'open'
),

members as (
    select
        repository,
        login
    from staging.accounts
    where is_member and not is_bot
)

select
    repository,
    members.login as member,
    count(distinct number) as open_performance_bugs,
    count(*) as comments,
    cast(max(comments.created_at) at time zone 'UTC' as date) as last_comment_on,
    list(distinct number order by number) as numbers
from open_bugs
inner join raw.issue_comments as comments using (repository, number)
inner join members
    on comments.author = members.login and comments.repository = members.repository
group by repository, members.login
order by open_performance_bugs desc, comments desc, repository, member;
