-- One row for each bug report with everything the study measures on it: whether it is a
-- performance bug and fixed, how long the fix took and how large it is, and how it was discussed;
-- with what became of it, its title, address, author and labels.

with

bug_reports as (
    select * from staging.bug_reports
),

fixes as (
    select * from intermediate.fixes
),

contents as (
    select * from intermediate.fix_contents
),

discussions as (
    select * from staging.discussions
),

-- Until when something of a repository is known: an issue that waits for an answer waits until then.
read_until as (
    select
        'live' as dataset,
        repository,
        max(updated_at) as read_until
    from raw.issues
    group by repository
),

first_triage as (
    select * from intermediate.first_triage
),

outcomes as (
    select * from intermediate.outcomes
),

reopened as (
    select
        dataset,
        repository,
        number,
        count(event_id) as reopenings
    from staging.issue_events
    where event = 'reopened'
    group by dataset, repository, number
),

joined as (
    select
        dataset,
        repository,
        number,
        bug_reports.title,
        bug_reports.html_url,
        bug_reports.author,
        bug_reports.labels,
        bug_reports.month,
        bug_reports.state,
        bug_reports.is_performance,
        bug_reports.state = 'closed' and fixes.fix_commits is not null as is_fixed,
        bug_reports.opened_at,
        bug_reports.closed_at,
        fixes.fix_size,
        coalesce(fixes.fix_commits, 0) as fix_commits,
        contents.fix_files,
        contents.fix_methods,
        contents.fix_languages,
        contents.fix_test_share,
        contents.fix_not_analysed,
        discussions.hours_to_first_comment,
        discussions.hours_to_first_member_comment,
        first_triage.hours_to_triage,
        bug_reports.author_association,
        least(
            coalesce(bug_reports.closed_at, read_until.read_until),
            read_until.read_until
        ) as waited_until,
        coalesce(discussions.comments, 0) as comments,
        coalesce(discussions.commentators, 0) as commentators,
        coalesce(discussions.comments_with_bots, 0) as comments_with_bots,
        coalesce(discussions.commentators_with_bots, 0) as commentators_with_bots,
        discussions.hours_to_first_comment_with_bots,
        coalesce(discussions.has_author_types, true) as has_author_types,
        coalesce(reopened.reopenings, 0) as reopenings,
        outcomes.outcome,
        outcomes.outcome_by,
        outcomes.outcome_evidence,
        outcomes.repeats,
        outcomes.is_rejected
    from bug_reports
    left join fixes using (dataset, repository, number)
    left join contents using (dataset, repository, number)
    left join discussions using (dataset, repository, number)
    left join first_triage using (dataset, repository, number)
    left join reopened using (dataset, repository, number)
    left join outcomes using (dataset, repository, number)
    left join read_until using (dataset, repository)
),

metrics as (
    select
        dataset,
        repository,
        number,
        title,
        html_url,
        author,
        labels,
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
        fix_not_analysed,
        hours_to_first_comment,
        hours_to_first_member_comment,
        greatest(
            0,
            least(
                hours_to_first_comment,
                (epoch_us(waited_until) - epoch_us(opened_at)) / 3600000000
            )
        ) as hours_unanswered,
        hours_to_triage,
        author_association,
        comments,
        commentators,
        comments_with_bots,
        commentators_with_bots,
        hours_to_first_comment_with_bots,
        has_author_types,
        reopenings,
        outcome,
        outcome_by,
        outcome_evidence,
        repeats,
        is_rejected
    from joined
)

select * from metrics
