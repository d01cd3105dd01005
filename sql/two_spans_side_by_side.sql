-- Question: how do two spans of months compare, such as this half-year and the one a year ago?
-- How to read: one line a repository and figure, over the bug reports that were opened in each span;
-- by default the newest six months with a bug report, and the same months a year before. Names say
-- which bugs a figure is over; NULL where there is none. Reports of the newer span had less time to be
-- fixed.
-- Group: trend
-- Words: compare, period, year, quarter, before, after

with

parameters as (
    select
        coalesce(getvariable('first_from'), (select strftime(cast(max(month) || '-01' as date) - interval 17 month, '%Y-%m') from marts.bug_metrics where dataset = 'live')) as first_from, -- first month of live marts.bug_metrics: first month of one span, as YYYY-MM
        coalesce(getvariable('first_until'), (select strftime(cast(max(month) || '-01' as date) - interval 12 month, '%Y-%m') from marts.bug_metrics where dataset = 'live')) as first_until, -- month: its last month, as YYYY-MM
        coalesce(getvariable('second_from'), (select strftime(cast(max(month) || '-01' as date) - interval 5 month, '%Y-%m') from marts.bug_metrics where dataset = 'live')) as second_from, -- first month of live marts.bug_metrics: first month of the other span, as YYYY-MM
        coalesce(getvariable('second_until'), (select max(month) from marts.bug_metrics where dataset = 'live')) as second_until -- month: its last month, as YYYY-MM
),

spans as (
    select
        'first' as span,
        first_from as from_month,
        first_until as until_month
    from parameters
    union all
    select
        'second' as span,
        second_from as from_month,
        second_until as until_month
    from parameters
),

figures as (
    select
        repository,
        spans.span,
        cast(count(*) as double) as bug_reports,
        cast(count(*) filter (where is_performance) as double) as performance_bugs,
        round(100 * count(*) filter (where is_performance) / count(*), 1) as performance_percentage,
        round(100 * count(*) filter (where is_fixed) / count(*), 1) as bug_reports_fixed_percentage,
        round(
            100 * count(*) filter (where is_fixed and is_performance)
            / nullif(count(*) filter (where is_performance), 0), 1
        ) as performance_bugs_fixed_percentage,
        round(median(fix_time_days) filter (where is_performance), 1)
            as performance_bugs_median_fix_time_days,
        round(median(hours_to_first_comment) filter (where is_performance), 1)
            as performance_bugs_median_hours_to_first_comment
    from marts.bug_metrics
    inner join spans on month between spans.from_month and spans.until_month
    where dataset = 'live'
    group by repository, spans.span
),

long as (
    unpivot figures
    on columns(* exclude (repository, span))
    into name figure value amount
)

select
    long.repository,
    long.figure,
    max(long.amount) filter (where long.span = 'first') as first,
    max(long.amount) filter (where long.span = 'second') as second,
    parameters.first_from || ' to ' || parameters.first_until as first_span,
    parameters.second_from || ' to ' || parameters.second_until as second_span
from long
cross join parameters
group by long.repository, long.figure, first_span, second_span
order by long.repository, long.figure;
