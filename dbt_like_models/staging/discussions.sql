-- What was said on each bug report: how much, by how many persons, and how soon by somebody else
-- than its author; without the bots, and with them. All deleted accounts count as one person, and so
-- does each account whose type is not known. A comment older than its issue, which was imported or
-- moved, was there when that was opened: nobody waited for it.

with

bug_reports as (
    select * from staging.bug_reports where dataset = 'live'
),

accounts as (
    select * from staging.accounts
),

comments as (
    select
        comments.repository,
        comments.number,
        comments.comment_id,
        comments.created_at,
        coalesce(comments.author, 'ghost') as commentator,
        coalesce(accounts.is_bot, false) as is_of_bot,
        coalesce(accounts.is_member, false) as is_of_member,
        comments.author is null or comments.author_type is not null as is_typed
    from raw.issue_comments as comments
    left join accounts
        on comments.repository = accounts.repository and comments.author = accounts.login
),

published as (
    select * from replication.bugs
),

said as (
    select
        bug_reports.dataset,
        repository,
        number,
        comments.comment_id,
        comments.commentator,
        comments.is_typed,
        not comments.is_of_bot as is_of_person,
        comments.is_of_member and not comments.is_of_bot as is_of_member,
        comments.commentator <> coalesce(bug_reports.author, 'ghost') as is_answer,
        greatest(epoch_us(comments.created_at) - epoch_us(bug_reports.opened_at), 0) as waited
    from bug_reports
    left join comments using (repository, number)
),

live as (
    select
        dataset,
        repository,
        number,
        count(comment_id) filter (where is_of_person) as comments,
        count(distinct commentator) filter (where is_of_person) as commentators,
        min(waited) filter (where is_answer and is_of_person) / 3600000000
            as hours_to_first_comment,
        min(waited) filter (where is_answer and is_of_member) / 3600000000
            as hours_to_first_member_comment,
        count(comment_id) as comments_with_bots,
        count(distinct commentator) as commentators_with_bots,
        min(waited) filter (where is_answer) / 3600000000 as hours_to_first_comment_with_bots,
        coalesce(bool_and(is_typed), true) as has_author_types
    from said
    group by dataset, repository, number
),

-- The published time is that of the first comment, whoever wrote it: it is no answer to the author
-- where nobody else commented. Who of the commentators is a bot is not published.
waits as (
    select
        repository,
        number,
        comments,
        commentators,
        case
            when commentator_names = [author] then null
            else minutes_to_first_comment / 60
        end as hours_to_first_comment
    from published
),

replication as (
    select
        'replication' as dataset,
        repository,
        number,
        comments,
        commentators,
        hours_to_first_comment,
        cast(null as double) as hours_to_first_member_comment,
        comments as comments_with_bots,
        commentators as commentators_with_bots,
        hours_to_first_comment as hours_to_first_comment_with_bots,
        false as has_author_types
    from waits
)

select * from live
union all
select * from replication
