-- What was said on each bug report: how much, by how many persons, and how soon by somebody else
-- than its author. All deleted accounts count as one person.

with

bug_reports as (
    select * from staging.bug_reports where dataset = 'live'
),

comments as (
    select
        repository,
        number,
        comment_id,
        created_at,
        coalesce(author, 'ghost') as commentator
    from raw.issue_comments
),

published as (
    select * from replication.bugs
),

live as (
    select
        bug_reports.dataset,
        repository,
        number,
        count(comments.comment_id) as comments,
        count(distinct comments.commentator) as commentators,
        min(date_diff('microsecond', bug_reports.opened_at, comments.created_at)) filter (
            where comments.commentator <> coalesce(bug_reports.author, 'ghost')
        ) / 3600000000 as hours_to_first_comment
    from bug_reports
    left join comments using (repository, number)
    group by bug_reports.dataset, repository, number
),

-- The published time is that of the first comment, whoever wrote it: it is no answer to the author
-- where nobody else commented.
replication as (
    select
        'replication' as dataset,
        repository,
        number,
        comments,
        commentators,
        case
            when commentator_names = [author] then null
            else minutes_to_first_comment / 60
        end as hours_to_first_comment
    from published
)

select * from live
union all
select * from replication
