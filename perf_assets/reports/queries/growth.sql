-- Of each repository its new bug reports in the two halves of its complete months, the verdict of
-- the trend test, and the newest change of the level that nobody has closed; with the change of the
-- instrument beside it, and the trend within the periods between such changes.
with months as (
    select
        repository, month, opened_performance, opened_total,
        ntile(2) over (partition by repository order by month) as half
    from marts.trend_monthly
    where dataset = 'live' and is_complete
),

halves as (
    select
        repository,
        min(month) filter (where half = 2) as since,
        coalesce(sum(opened_performance) filter (where half = 1), 0) as performance_before,
        coalesce(sum(opened_total) filter (where half = 1), 0) as total_before,
        coalesce(sum(opened_performance) filter (where half = 2), 0) as performance_since,
        coalesce(sum(opened_total) filter (where half = 2), 0) as total_since
    from months
    group by repository
),

tests as (
    select
        tests.repository, tests.is_too_few, tests.odds_ratio_per_year as odds, tests.power,
        family.p_value_holm as p
    from analysis.trend_tests as tests
    inner join analysis.adjusted_tests as family
        on family.dataset = tests.dataset and family.repository = tests.repository
        and family.source = 'trend_tests' and family.result_of = tests.series
        and family.method = tests.method
    where tests.dataset = 'live' and tests.series = 'opened'
),

changes as (
    select
        repository, alert_id, direction, month, level_before, level_after, p_value,
        performance_bugs
    from marts.alerts
    where series = 'opened_share' and area is null and state in ('new', 'known')
    qualify row_number() over (partition by repository order by month desc, alert_id) = 1
),

instruments as (
    select
        instruments.repository, instruments.month as instrument_month,
        instruments.result as instrument
    from marts.instrument_changes as instruments
    inner join changes
        on changes.repository = instruments.repository
        and abs(date_diff(
            'month', cast(changes.month || '-01' as date),
            cast(instruments.month || '-01' as date)
        )) <= 1
    qualify row_number() over (
        partition by instruments.repository order by used_on desc, instruments.result
    ) = 1
),

within as (
    select repository, periods, p_value as p_within, odds_ratio_per_year as odds_within
    from analysis.trend_variants where dataset = 'live' and variant = 'within_periods'
)

select
    halves.*, tests.is_too_few, tests.odds, tests.power, tests.p,
    changes.direction, changes.month as changed, changes.level_before, changes.level_after,
    changes.p_value as p_of_change, instruments.instrument, instruments.instrument_month,
    within.periods, within.p_within, within.odds_within
from halves
left join tests using (repository)
left join changes using (repository)
left join instruments using (repository)
left join within using (repository)
order by halves.repository
