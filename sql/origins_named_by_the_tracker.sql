-- Question: which bug brought each regression, by the word of the tracker, and do its lines say so?
-- How to read: one line a bug that is marked as a regression of another one, as Bugzilla does
-- ("regressed by"). Origins are the commits that last touched lines which its fix takes away (SZZ):
-- how many there are, and how many of them say in their message that they belong to the other bug. No
-- origin can: the fix only adds lines, or the other bug is in other code.
-- Group: fixes
-- Words: regression, SZZ, introduced, regressed by, truth

with

marks as (
    select
        repository,
        number,
        canonical_repository,
        canonical_number,
        arg_max(event, created_at) as event
    from raw.issue_events
    where event in ('marked_as_regression', 'unmarked_as_regression')
        and canonical_number is not null
    group by repository, number, canonical_repository, canonical_number
),

origins as (
    select distinct
        fixes.repository,
        fixes.number,
        candidates.introducing_sha,
        regexp_extract(
            lower(commits.message), '^(?:\[[^\]]*\] *)?(?:bug|pr [a-z+-]+/) *([0-9]+)', 1
        ) as named
    from intermediate.counted_fixes as fixes
    inner join details.introducing_commits as candidates using (repository, sha)
    left join raw.commits as commits
        on
            commits.repository = candidates.repository
            and commits.sha = candidates.introducing_sha
    where fixes.dataset = 'live' and not candidates.is_merge
)

select
    marks.repository,
    marks.number,
    bugs.title,
    bugs.is_performance,
    marks.canonical_repository || '#' || marks.canonical_number as brought_by,
    count(origins.introducing_sha) as origins,
    count(origins.introducing_sha) filter (
        where origins.named = cast(marks.canonical_number as varchar)
    ) as origins_of_that_bug
from marks
inner join marts.bug_metrics as bugs
    on marks.repository = bugs.repository and marks.number = bugs.number and bugs.dataset = 'live'
left join origins
    on marks.repository = origins.repository and marks.number = origins.number
where marks.event = 'marked_as_regression'
group by all
order by marks.repository, marks.number, brought_by;
