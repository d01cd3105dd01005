-- The monthly series of each area of the code: how many of its bug reports, and performance bugs among
-- them, were opened, are open at the end of the month and were fixed in it, and how long triage, answer
-- and fix took. A bug report in several areas counts in each, so that areas do not add up; its shares in
-- weight_opened do. State, labels and fixes are as they were at the end of the month, areas as now.

with

months as (
    select * from intermediate.months where dataset = 'live'
),

bug_areas as (
    select
        dataset,
        repository,
        number,
        area,
        share
    from marts.bug_areas
),

calendar as (
    select
        dataset,
        repository,
        areas.area,
        months.month,
        months.is_complete
    from months
    inner join (
        select distinct
            dataset,
            repository,
            area
        from bug_areas
    ) as areas using (dataset, repository)
),

history as (
    select
        dataset,
        repository,
        number,
        bug_areas.area,
        bug_areas.share,
        history.month,
        history.until_month,
        history.opened_month,
        history.is_performance,
        history.state,
        history.is_fixed,
        history.closed_at
    from marts.issue_history as history
    inner join bug_areas using (dataset, repository, number)
    where history.is_bug_report
),

-- Everything that moves a count, with its month; each month appears at least once.
happenings as (
    select
        dataset,
        repository,
        area,
        month,
        false as is_performance,
        0 as open_step,
        0 as opened,
        cast(0 as double) as weight,
        0 as newly_fixed
    from calendar
    union all
    select
        dataset,
        repository,
        area,
        month,
        is_performance,
        cast(state = 'open' as integer) as open_step,
        cast(month = opened_month as integer) as opened,
        case when month = opened_month then share else 0 end as weight,
        cast(
            is_fixed and strftime(closed_at at time zone 'UTC', '%Y-%m') = month as integer
        ) as newly_fixed
    from history
    union all
    select
        dataset,
        repository,
        area,
        until_month as month,
        is_performance,
        -cast(state = 'open' as integer) as open_step,
        0 as opened,
        cast(0 as double) as weight,
        0 as newly_fixed
    from history
    where until_month is not null
),

flow as (
    select
        dataset,
        repository,
        area,
        month,
        coalesce(sum(open_step) filter (where is_performance), 0) as open_performance_change,
        sum(open_step) as open_total_change,
        coalesce(sum(opened) filter (where is_performance), 0) as opened_performance,
        sum(opened) as opened_total,
        cast(sum(cast(weight as decimal(18, 12))) as double) as weight_opened,
        coalesce(sum(newly_fixed) filter (where is_performance), 0) as newly_fixed_performance,
        sum(newly_fixed) as newly_fixed_total
    from happenings
    group by dataset, repository, area, month
),

-- Sums come as hugeint.
counts as (
    select
        dataset,
        repository,
        area,
        month,
        cast(opened_performance as bigint) as opened_performance,
        cast(opened_total as bigint) as opened_total,
        weight_opened,
        cast(sum(open_performance_change) over until_month as bigint) as open_performance,
        cast(sum(open_total_change) over until_month as bigint) as open_total,
        cast(newly_fixed_performance as bigint) as newly_fixed_performance,
        cast(newly_fixed_total as bigint) as newly_fixed_total
    from flow
    window until_month as (partition by dataset, repository, area order by month)
),

bugs as (
    select
        dataset,
        repository,
        number,
        bug_areas.area,
        metrics.month,
        metrics.hours_to_triage,
        metrics.hours_to_first_comment,
        metrics.fix_time_days,
        strftime(metrics.closed_at at time zone 'UTC', '%Y-%m') as closed_month
    from marts.bug_metrics as metrics
    inner join bug_areas using (dataset, repository, number)
),

responses as (
    select
        dataset,
        repository,
        area,
        month,
        count(hours_to_triage) as triaged_total,
        median(hours_to_triage) as median_hours_to_triage,
        count(hours_to_first_comment) as answered_total,
        median(hours_to_first_comment) as median_hours_to_first_comment
    from bugs
    group by dataset, repository, area, month
),

fixes as (
    select
        dataset,
        repository,
        area,
        closed_month as month,
        count(fix_time_days) as timed_fixes,
        median(fix_time_days) as median_fix_time_days
    from bugs
    where fix_time_days is not null
    group by dataset, repository, area, closed_month
),

series as (
    select
        dataset,
        repository,
        area,
        month,
        calendar.is_complete,
        counts.opened_performance,
        counts.opened_total,
        counts.weight_opened,
        100 * counts.opened_performance / nullif(counts.opened_total, 0) as opened_percentage,
        counts.open_performance,
        counts.open_total,
        100 * counts.open_performance / nullif(counts.open_total, 0) as open_percentage,
        counts.newly_fixed_performance,
        counts.newly_fixed_total,
        coalesce(responses.triaged_total, 0) as triaged_total,
        responses.median_hours_to_triage,
        coalesce(responses.answered_total, 0) as answered_total,
        responses.median_hours_to_first_comment,
        coalesce(fixes.timed_fixes, 0) as timed_fixes,
        fixes.median_fix_time_days
    from calendar
    inner join counts using (dataset, repository, area, month)
    left join responses using (dataset, repository, area, month)
    left join fixes using (dataset, repository, area, month)
)

select * from series
