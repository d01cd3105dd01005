-- Data quality by month: how many issues and commits came, how much of them lacks an author, how much
-- was commented, labelled as performance and taken for a bug report, each against the twelve months
-- before. Those months give a median and a spread: their median absolute deviation as that of a normal
-- distribution (times 1.4826), or what chance alone makes of so few rows where that is larger. A month
-- is odd that lies more than 3.5 spreads away (Iglewicz and Hoaglin, 1993) from six months or more.

with

issues as (
    select
        'live' as dataset,
        repository,
        number,
        raw_issues.month,
        raw_issues.author,
        raw_issues.comments,
        decisions.is_bug_report,
        decisions.is_performance
    from raw.issues as raw_issues
    left join labels.performance_labels as decisions using (repository, number)
),

commits as (
    select
        'live' as dataset,
        repository,
        month,
        sha,
        author_name
    from raw.commits
),

activity as (
    select * from intermediate.activity
),

-- What is loaded of a repository after it came to rest is no anomaly.
months as (
    select
        dataset,
        repository,
        loads.month,
        loads.has_issues,
        loads.has_commits
    from staging.loaded_months as loads
    left join activity using (dataset, repository)
    where
        dataset = 'live'
        and (not coalesce(activity.is_at_rest, false) or loads.month <= activity.last_series_month)
),

counted_issues as (
    select
        dataset,
        repository,
        month,
        count(issues.number) as issues,
        count(issues.author) as with_author,
        cast(sum(issues.comments) as double) as comments,
        cast(sum(issues.comments * issues.comments) as double) as squared_comments,
        count(issues.number) filter (where issues.is_bug_report) as bug_reports,
        count(issues.number) filter (where issues.is_performance) as performance_bugs
    from months
    left join issues using (dataset, repository, month)
    where months.has_issues
    group by dataset, repository, month
),

counted_commits as (
    select
        dataset,
        repository,
        month,
        count(commits.sha) as commits,
        count(commits.author_name) as with_author
    from months
    left join commits using (dataset, repository, month)
    where months.has_commits
    group by dataset, repository, month
),

-- The error is what chance alone makes of a mean. That of a count is its root, and that of a share
-- follows from the share of the months before.
measured as (
    select
        dataset,
        repository,
        month,
        'issues' as measure,
        cast(null as bigint) as n,
        cast(issues as double) as observed,
        cast(null as double) as error
    from counted_issues
    union all
    select
        dataset,
        repository,
        month,
        'commits' as measure,
        cast(null as bigint) as n,
        cast(commits as double) as observed,
        cast(null as double) as error
    from counted_commits
    union all
    select
        dataset,
        repository,
        month,
        'issues_without_author' as measure,
        issues as n,
        1 - with_author / nullif(issues, 0) as observed,
        cast(null as double) as error
    from counted_issues
    union all
    select
        dataset,
        repository,
        month,
        'commits_without_author' as measure,
        commits as n,
        1 - with_author / nullif(commits, 0) as observed,
        cast(null as double) as error
    from counted_commits
    union all
    select
        dataset,
        repository,
        month,
        'comments_per_issue' as measure,
        issues as n,
        comments / nullif(issues, 0) as observed,
        sqrt(
            greatest(squared_comments - comments * comments / nullif(issues, 0), 0)
            / nullif((issues - 1) * issues, 0)
        ) as error
    from counted_issues
    union all
    select
        dataset,
        repository,
        month,
        'bug_reports_among_issues' as measure,
        issues as n,
        bug_reports / nullif(issues, 0) as observed,
        cast(null as double) as error
    from counted_issues
    union all
    select
        dataset,
        repository,
        month,
        'performance_among_bug_reports' as measure,
        bug_reports as n,
        performance_bugs / nullif(bug_reports, 0) as observed,
        cast(null as double) as error
    from counted_issues
),

pairs as (
    select
        measured.dataset,
        measured.repository,
        measured.month,
        measured.measure,
        earlier.observed as earlier_value
    from measured
    inner join measured as earlier
        on measured.dataset = earlier.dataset
        and measured.repository = earlier.repository
        and measured.measure = earlier.measure
        and earlier.month < measured.month
        and earlier.month >= strftime(
            strptime(measured.month, '%Y-%m') - interval 12 month, '%Y-%m'
        )
    where earlier.observed is not null
),

-- The middle one of the values, or the mean of the middle two, spelt out: how an engine's own median
-- takes the mean of two may differ in the last digit.
ranked as (
    select
        dataset,
        repository,
        month,
        measure,
        earlier_value,
        row_number() over (
            partition by dataset, repository, month, measure order by earlier_value
        ) as place,
        count(earlier_value) over (partition by dataset, repository, month, measure) as places
    from pairs
),

medians as (
    select
        dataset,
        repository,
        month,
        measure,
        max(places) as months_before,
        avg(earlier_value) as median_before
    from ranked
    where place in ((places + 1) // 2, places // 2 + 1)
    group by dataset, repository, month, measure
),

deviations as (
    select
        dataset,
        repository,
        month,
        measure,
        abs(pairs.earlier_value - medians.median_before) as deviation
    from pairs
    inner join medians using (dataset, repository, month, measure)
),

ranked_deviations as (
    select
        dataset,
        repository,
        month,
        measure,
        deviation,
        row_number() over (
            partition by dataset, repository, month, measure order by deviation
        ) as place,
        count(deviation) over (partition by dataset, repository, month, measure) as places
    from deviations
),

spreads as (
    select
        dataset,
        repository,
        month,
        measure,
        avg(deviation) as mad_before
    from ranked_deviations
    where place in ((places + 1) // 2, places // 2 + 1)
    group by dataset, repository, month, measure
),

compared as (
    select
        dataset,
        repository,
        month,
        measure,
        measured.observed,
        measured.n,
        coalesce(medians.months_before, 0) as months_before,
        medians.median_before,
        spreads.mad_before,
        greatest(
            1.4826e0 * spreads.mad_before,
            case
                when measure in ('issues', 'commits') then sqrt(greatest(medians.median_before, 1))
                when measure = 'comments_per_issue'
                    then greatest(
                        coalesce(measured.error, 0),
                        sqrt(greatest(medians.median_before, 1) / nullif(measured.n, 0))
                    )
                else sqrt(
                    (medians.median_before * measured.n + 1)
                    * (measured.n + 1 - medians.median_before * measured.n)
                ) / ((measured.n + 2) * sqrt(nullif(measured.n, 0)))
            end
        ) as spread
    from measured
    left join medians using (dataset, repository, month, measure)
    left join spreads using (dataset, repository, month, measure)
),

judged as (
    select
        *,
        case
            when months_before >= 6 then (observed - median_before) / nullif(spread, 0)
        end as robust_z_score
    from compared
)

select
    dataset,
    repository,
    month,
    measure,
    observed,
    n,
    months_before,
    median_before,
    mad_before,
    robust_z_score,
    coalesce(abs(robust_z_score) > 3.5, false) as is_anomaly
from judged
