"""Figures of the trend: shares month by month, their tests, and why the open share changes."""

import polars as pl

from perf_assets.core.statistics.minimum_events import CURVE
from perf_assets.reports.figures.drawing import COOL, WARM, Spec
from perf_assets.reports.figures.figure import P_TEXT, Figure, wilson_limits
from perf_assets.reports.figures.panels import estimates, lengths, series

SHARES = {"open": WARM, "fixed": COOL}

FAMILY = """\
left join analysis.adjusted_tests as family
    on family.dataset = tests.dataset
    and family.repository = tests.repository
    and family.source = '{}'
    and family.result_of = {}"""
MONTHS = """
select
    repository, month, opened_performance, opened_total, newly_fixed_performance,
    newly_fixed_total, open_performance, open_total, open_percentage, fixed_performance,
    fixed_total, fixed_percentage
from marts.trend_monthly
where dataset = 'live' and is_complete
qualify row_number() over (partition by repository order by month desc) <= 6
order by repository, month desc
"""
# The state of one kind of bug reports: its columns, what to say of none, and what they are called.
STATE = """case
        when newest.{0}_total = 0 then '{1}'
        else printf(
            'performance bugs are %d of %d {2} (%.1f %%)%s',
            newest.{0}_performance, newest.{0}_total, newest.{0}_percentage,
            case when before.{0}_total > 0 then printf(
                ', a year before %d of %d', before.{0}_performance, before.{0}_total
            ) else '' end
        )
    end"""
NEWEST_MONTH = f"""
select newest.repository, printf(
    'end of %s: %s, and %s', newest.month,
    {STATE.format("open", "no bug report is open", "open bug reports")},
    {STATE.format("fixed", "none is known to be fixed", "fixed ones")}
)
from (
    from marts.trend_monthly
    where dataset = 'live' and is_complete
    qualify row_number() over (partition by repository order by month desc) = 1
) as newest
left join marts.trend_monthly as before
    on before.dataset = newest.dataset
    and before.repository = newest.repository
    and before.month = strftime((newest.month || '-01')::date - interval 1 year, '%Y-%m')
order by newest.repository
"""
# Of fewer bug reports an interval says nothing.
SERIES = f"""
with counts as (
    select repository, month, 'open' as color, open_performance as k, open_total as n
    from marts.trend_monthly
    where dataset = 'live' and is_complete
    union all
    select repository, month, 'fixed', fixed_performance, fixed_total
    from marts.trend_monthly
    where dataset = 'live' and is_complete
)

select
    repository, month, color, 100.0 * k / n as value, k || ' of ' || n as counts,
    {wilson_limits("k", "n")}
from counts
where n >= {CURVE}
order by repository, month, color
"""
# Of each series the test by which it is read; its p-value adjusted for all of the summary's.
TESTS = f"""
select
    tests.repository, tests.series, tests.method,
    case when tests.odds_ratio_per_year is null then tests.statistic end as points_a_year,
    tests.odds_ratio_per_year as odds_a_year, tests.odds_ratio_low as low,
    tests.odds_ratio_high as high, tests.p_value as p, family.p_value_holm as p_adjusted,
    tests.power, tests.is_too_few, tests.result,
    case
        when tests.is_too_few then 'too few'
        when family.p_value_holm is null then 'not tested'
        when family.p_value_holm >= 0.05 then 'no change shown'
        when coalesce(tests.odds_ratio_per_year - 1, tests.statistic) > 0 then 'rises'
        else 'falls'
    end as verdict
from analysis.trend_tests as tests
{FAMILY.format("trend_tests", "tests.series")}
where tests.dataset = 'live' and tests.method = family.method
order by
    tests.repository = 'pooled', tests.repository,
    list_position(['opened', 'newly_fixed', 'open', 'fixed'], tests.series)
"""
VERDICTS = f"""
select repository, printf(
    'share among %s: %s%s',
    case series
        when 'opened' then 'new bug reports'
        when 'newly_fixed' then 'bugs newly fixed'
        when 'open' then 'open bug reports'
        else 'fixed bugs'
    end,
    case when is_too_few then '' else verdict || '; ' end,
    case when is_too_few then result else coalesce(
        printf('odds x %.2f a year [%.2f, %.2f]', odds_a_year, low, high),
        printf('%+.2f points a year', points_a_year),
        'no estimate'
    ) || ', ' || {P_TEXT.format("p")}
    || ', adjusted for all tests ' || {P_TEXT.format("p_adjusted")}
    || case when verdict = 'no change shown' and power < 0.8 then printf(
        '; odds that double in three years would be found in %.0f %% of such projects', 100 * power
    ) else '' end end
)
from ({TESTS.strip()})
"""
ODDS = f"""
select
    case series when 'opened' then 'new reports' else 'newly fixed' end as what, repository,
    odds_a_year as estimate, low, high
from ({TESTS.strip()})
where odds_a_year is not null
"""
CHANGES = f"""
select
    tests.repository, slope as points_a_year, slope_from_reports as by_reports,
    slope_from_closing as by_closing, tests.p_value as p, family.p_value_holm as p_adjusted
from analysis.open_share_changes as tests
{FAMILY.format("open_share_changes", "'slope_from_closing'")}
where tests.dataset = 'live' and not tests.is_too_few
order by tests.repository
"""
CLOSING = """
select
    repository, n, rate_ratio as estimate, rate_ratio_low as low, rate_ratio_high as high,
    rate_ratio_p_value as p, rate_ratio_per_year as change_a_year,
    rate_ratio_per_year_low as change_low, rate_ratio_per_year_high as change_high,
    p_value as p_of_change
from analysis.closing_rates
where dataset = 'live' and kind = 'performance_against_other'
order by repository
"""
RATIOS = """
select repository as what, rate_ratio as estimate, rate_ratio_low as low, rate_ratio_high as high
from analysis.closing_rates
where dataset = 'live' and kind = 'performance_against_other' and rate_ratio is not null
order by repository
"""


def _months(rows: pl.DataFrame) -> list[Spec]:
    groups = rows.group_by("repository", maintain_order=True)
    measure = "performance bugs, percent"
    return [series(str(name), part, measure, SHARES) for (name,), part in groups]


def _odds(rows: pl.DataFrame) -> list[Spec]:
    if rows.is_empty():
        return []
    both = rows.select(pl.col("repository").alias("what"), "estimate", "low", "high", color="what")
    measure = "odds of a performance bug, factor a year"
    return [estimates("Is the share changing?", both, measure, nothing=1, is_factor=True)]


def _changes(rows: pl.DataFrame) -> list[Spec]:
    names = {"by_reports": "by what is reported", "by_closing": "by how long it stays open"}
    return [
        lengths(
            row["repository"],
            pl.DataFrame(
                {
                    "what": ["in all", *names.values()],
                    "value": [row["points_a_year"], *(row[name] for name in names)],
                }
            ),
            "points a year",
            strong="in all",
        )
        for row in rows.drop_nulls("points_a_year").iter_rows(named=True)
    ]


def _ratios(rows: pl.DataFrame) -> list[Spec]:
    measure = "closed so many times as often as other bugs of the same age"
    title = "How often open performance bugs are closed"
    return [estimates(title, rows, measure, nothing=1, is_factor=True)] if rows.height else []


FIGURES = {
    "marts.trend_monthly": Figure(
        "The share of performance bugs, month by month", MONTHS, NEWEST_MONTH, _months, SERIES
    ),
    "analysis.trend_tests": Figure(
        "Is the share of performance bugs changing?", TESTS, VERDICTS, _odds, ODDS
    ),
    "analysis.open_share_changes": Figure(
        "Why the open share changes",
        CHANGES,
        "select repository, result from analysis.open_share_changes "
        "where dataset = 'live' order by repository",
        _changes,
    ),
    "analysis.closing_rates": Figure(
        "How often open performance bugs are closed, by others of the same age",
        CLOSING,
        "select repository, result from analysis.closing_rates "
        "where dataset = 'live' and kind = 'performance_against_other' order by repository",
        _ratios,
        RATIOS,
    ),
}
