-- Which report each issue repeats, where somebody says so: GitHub's own marks that were not taken
-- back, else a comment of who closed it, of a member or of its author, up to an hour after the close.
-- The newest mark counts. A mark on itself says nothing.

with

issues as (
    select
        repository,
        number,
        author,
        state,
        created_at as opened_at,
        closed_at
    from raw.issues
),

accounts as (
    select
        repository as of_repository,
        login,
        is_member,
        is_bot,
        bot_reason
    from staging.accounts
),

-- Marked and unmarked within one second: as before.
told as (
    select
        repository,
        number,
        canonical_repository,
        canonical_number,
        created_at as marked_at,
        sum(case when event = 'marked_as_duplicate' then 1 else -1 end) as step
    from raw.issue_events
    where
        event in ('marked_as_duplicate', 'unmarked_as_duplicate')
        and canonical_number is not null
    group by repository, number, canonical_repository, canonical_number, created_at
),

standing as (
    select
        repository,
        number,
        canonical_repository,
        canonical_number,
        max(marked_at) as last_marked_at
    from told
    where step <> 0
    group by repository, number, canonical_repository, canonical_number
    having max_by(step, marked_at) > 0
),

closers as (
    select
        repository,
        number,
        max_by(actor, created_at) as closed_by
    from raw.issue_events
    where event = 'closed'
    group by repository, number
),

-- Quoted lines and code are not what the author of the comment says.
said as (
    select
        repository,
        number,
        comments.comment_id,
        comments.created_at as marked_at,
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
        issues.state = 'closed'
        and epoch_us(comments.created_at) <= epoch_us(issues.closed_at) + 3600000000
        and not coalesce(accounts.is_bot, false)
        and (
            comments.author = closers.closed_by
            or comments.author = issues.author
            or coalesce(accounts.is_member, false)
        )
        and regexp_matches(lower(comments.body), 'dup(e|licate)?|in favou?r of')
),

mentions as (
    select
        repository,
        number,
        comment_id,
        marked_at,
        regexp_extract(
            words,
            '(duplicates?|duplicated|dupe?)( of| by| with)?:? *(https?://github\.com/)?'
            || '([a-z0-9][a-z0-9-]*/[a-z0-9_.-]+)?(#|/issues/)([0-9]{1,9})',
            4
        ) as named_repository,
        coalesce(
            try_cast(
                nullif(
                    regexp_extract(
                        words,
                        '(duplicates?|duplicated|dupe?)( of| by| with)?:? *(https?://github\.com/)?'
                        || '([a-z0-9][a-z0-9-]*/[a-z0-9_.-]+)?(#|/issues/)([0-9]{1,9})',
                        6
                    ),
                    ''
                ) as bigint
            ),
            try_cast(
                nullif(
                    regexp_extract(words, 'clos(ed|ing)( this| it)? in favou?r of #([0-9]{1,9})', 3),
                    ''
                ) as bigint
            )
        ) as canonical_number
    from said
),

marks as (
    select
        repository,
        number,
        canonical_repository,
        canonical_number,
        'event' as marked_by,
        last_marked_at as marked_at,
        cast(null as bigint) as comment_id,
        1 as place
    from standing
    union all
    select
        repository,
        number,
        case when named_repository = '' then repository else named_repository end
            as canonical_repository,
        canonical_number,
        'comment' as marked_by,
        marked_at,
        comment_id,
        2 as place
    from mentions
    where canonical_number is not null
),

ordered as (
    select
        *,
        row_number() over (
            partition by repository, number
            order by place, marked_at desc, canonical_repository, canonical_number
        ) as rank_of_mark
    from marks
    where canonical_number <> number or lower(canonical_repository) <> lower(repository)
)

select
    'live' as dataset,
    repository,
    number,
    case
        when lower(canonical_repository) = lower(repository) then repository
        else canonical_repository
    end as canonical_repository,
    canonical_number,
    marked_by,
    marked_at,
    comment_id
from ordered
where rank_of_mark = 1
