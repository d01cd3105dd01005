-- One row for each bug report with everything the study measures on it: whether it is a
-- performance bug and fixed, how long the fix took and how large it is, and how it was discussed.

with

bug_reports as (
    select * from staging.bug_reports
),

fixes as (
    select * from staging.fixes
),

contents as (
    select * from staging.fix_contents
),

discussions as (
    select * from staging.discussions
),

reopened as (
    select
        'live' as dataset,
        repository,
        number,
        count(event_id) as reopenings
    from raw.issue_events
    where event = 'reopened'
    group by repository, number
),

joined as (
    select
        bug_reports.*,
        bug_reports.state = 'closed' and fixes.fix_commits is not null as is_fixed,
        coalesce(fixes.fix_commits, 0) as fix_commits,
        fixes.fix_size,
        contents.fix_files,
        contents.fix_methods,
        contents.fix_languages,
        contents.fix_test_share,
        discussions.hours_to_first_comment,
        coalesce(discussions.comments, 0) as comments,
        coalesce(discussions.commentators, 0) as commentators,
        coalesce(reopened.reopenings, 0) as reopenings
    from bug_reports
    left join fixes
        on bug_reports.dataset = fixes.dataset
        and bug_reports.repository = fixes.repository
        and bug_reports.number = fixes.number
    left join contents
        on bug_reports.dataset = contents.dataset
        and bug_reports.repository = contents.repository
        and bug_reports.number = contents.number
    left join discussions
        on bug_reports.dataset = discussions.dataset
        and bug_reports.repository = discussions.repository
        and bug_reports.number = discussions.number
    left join reopened
        on bug_reports.dataset = reopened.dataset
        and bug_reports.repository = reopened.repository
        and bug_reports.number = reopened.number
),

metrics as (
    select
        dataset,
        repository,
        number,
        month,
        state,
        is_performance,
        is_fixed,
        opened_at,
        closed_at,
        case
            when is_fixed then (epoch_us(closed_at) - epoch_us(opened_at)) / 86400000000
        end as fix_time_days,
        fix_size,
        fix_commits,
        fix_files,
        fix_methods,
        fix_languages,
        fix_test_share,
        hours_to_first_comment,
        comments,
        commentators,
        reopenings
    from joined
)

select * from metrics
