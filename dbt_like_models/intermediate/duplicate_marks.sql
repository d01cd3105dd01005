-- Which report each issue repeats, where somebody says so: GitHub's own marks that were not taken
-- back, else a comment of who closed it, of a member or of its author, up to an hour after the close.
-- The newest mark counts. A mark on itself says nothing.

with

closing_comments as (
    select * from intermediate.closing_comments
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

-- The words by which a comment names the report that the issue repeats.
named as (
    select
        repository,
        number,
        comment_id,
        commented_at,
        regexp_extract(
            words,
            '(clos(ed|ing)( this| it)? in favou?r of|(duplicates?|duplicated|dupe?)( of| by| with)?)'
            || ':? *(https?://github\.com/)?([a-z0-9][a-z0-9-]*/[a-z0-9_.-]+)?(#|/issues/)'
            || '([0-9]{1,9})',
            0
        ) as reference
    from closing_comments
    where regexp_matches(words, 'dup|in favou?r of')
),

mentions as (
    select
        repository,
        number,
        comment_id,
        commented_at,
        regexp_extract(reference, '([a-z0-9][a-z0-9-]*/[a-z0-9_.-]+)(#|/issues/)', 1)
            as named_repository,
        try_cast(regexp_extract(reference, '[0-9]+$', 0) as bigint) as canonical_number
    from named
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
        commented_at as marked_at,
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
