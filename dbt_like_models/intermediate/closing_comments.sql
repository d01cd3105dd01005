-- The comments on closed issues that may say why they were closed: of who closed it, of a member or of
-- its author, up to an hour after the close. Quoted lines and code are not what the author of a comment
-- says.

with

issues as (
    select
        repository,
        number,
        author,
        closed_at
    from raw.issues
    where state = 'closed'
),

closers as (
    select * from intermediate.closers
),

accounts as (
    select
        repository as of_repository,
        login,
        is_member,
        is_bot
    from staging.accounts
)

select
    repository,
    number,
    comments.comment_id,
    comments.created_at as commented_at,
    epoch_us(comments.created_at) >= epoch_us(issues.closed_at) - 604800000000
        as is_within_a_week,
    lower(
        regexp_replace(
            regexp_replace(comments.body, '```[^`]*```', ' ', 'g'), '(?m)^[ \t]*>.*$', ' ', 'g'
        )
    ) as words
from issues
inner join raw.issue_comments as comments using (repository, number)
left join closers using (repository, number)
left join accounts on repository = accounts.of_repository and comments.author = accounts.login
where
    epoch_us(comments.created_at) <= epoch_us(issues.closed_at) + 3600000000
    and not coalesce(accounts.is_bot, false)
    and (
        comments.author = closers.closed_by
        or comments.author = issues.author
        or coalesce(accounts.is_member, false)
    )
