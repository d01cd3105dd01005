"""What a study found, in a few sentences for each repository: the last screen of a run."""

from collections.abc import Iterator, Mapping
from typing import Any

import duckdb

from perf_assets.core.analyses.formatting import p_text
from perf_assets.core.statistics.minimum_events import CURVE
from perf_assets.reports.figures.figure import wilson_limits
from perf_assets.reports.figures.trends import TESTS
from perf_assets.reports.monthly.news import NUMBERS, read_rows
from perf_assets.reports.queries import ADJUSTED, ASKED
from perf_assets.reports.top_repositories import passed_over, remark

Row = Mapping[str, Any]

POOLED = "pooled"
SIGNIFICANT = 0.05
ENOUGH = 0.8
"""The power from which on it says something that no difference is shown."""
REPOSITORIES = f"""
with bugs as (
    select
        repository, sum(open + closed) as reports,
        coalesce(sum(open + closed) filter (where is_performance), 0) as performance
    from marts.dataset_breakdown
    where dataset = 'live'
    group by grouping sets ((repository), ())
)

select
    coalesce(bugs.repository, 'pooled') as repository, reports, performance,
    100.0 * performance / reports as percent, {wilson_limits("performance", "reports")},
    months.first_month, activity.last_series_month, activity.is_at_rest,
    activity.archived_month
from bugs
left join (
    select repository, min(month) as first_month
    from staging.loaded_months
    where dataset = 'live' and has_issues
    group by repository
) as months using (repository)
left join (from marts.activity where dataset = 'live') as activity using (repository)
where reports > 0
order by bugs.repository is null, bugs.repository
"""
FIX_TIME = f"""
select
    tests.repository, tests.n_performance, tests.n_other, tests.median_performance,
    tests.median_other, tests.cliffs_delta, tests.power, tests.is_too_few,
    family.p_value_holm as p
from analysis.group_comparisons as tests
{ADJUSTED.format("group_comparisons", "tests.metric")}
where tests.dataset = 'live' and tests.metric = 'fix_time_days'
"""
DOUBTS = """
select
    repository, count(distinct month) filter (where is_anomaly) as odd_months
from marts.volume_anomalies
where dataset = 'live'
group by repository
"""


def headlines(connection: duckdb.DuckDBPyConnection) -> Iterator[tuple[str, list[str]]]:
    """A title and its sentences, at most four, for each repository and tag set of a forum.

    Whether the share of performance bugs among new reports changes, whether they take longer to
    fix, what came in the newest month, and what to look at before any of it is trusted. Of several
    repositories there is one about all of them, pooled. Repositories beyond the largest are left
    out, which the last title says.
    """
    left_out = passed_over(connection)
    tests = (row for row in read_rows(connection, TESTS) if row["series"] == "opened")
    trends = {row["repository"]: row for row in tests}
    times = {row["repository"]: row for row in read_rows(connection, FIX_TIME)}
    newest = {row["repository"]: row for row in read_rows(connection, NUMBERS)}
    doubts = {row["repository"]: row for row in read_rows(connection, DOUBTS)}
    *rows, pooled = read_rows(connection, REPOSITORIES) or [{}]
    for row in rows if len(rows) == 1 else [*rows, pooled]:
        name = row.get("repository")
        if name is None or name in left_out:
            continue
        sentences = [*_share(row, trends.get(name))]
        if name in times:
            sentences += _fix_time(times[name])
        if name in newest:
            sentences.append(_month(newest[name]))
        yield _title(row, len(rows), doubts.get(name)), sentences
    yield from _forums(connection)
    for sentence in remark(left_out):
        yield sentence, []


def _title(row: Row, repositories: int, doubts: Row | None) -> str:
    if row["repository"] == POOLED:
        return f"All {repositories:,} repositories"
    months = f", {row['first_month']} to {row['last_series_month']}" if row["first_month"] else ""
    rest = ", at rest since" if row["is_at_rest"] else ""
    if row["archived_month"]:
        rest = f", archived in {row['archived_month']}"
    odd = 0 if doubts is None else doubts["odd_months"]
    check = f"; check {odd:,} odd {'month' if odd == 1 else 'months'}" if odd else ""
    return f"{row['repository']}{months}{rest}{check}"


def _share(row: Row, trend: Row | None) -> Iterator[str]:
    performance, reports = int(row["performance"]), int(row["reports"])
    if min(performance, reports - performance) < CURVE:
        share = f"{performance:,} of {reports:,} bugs"
    else:
        low, high = (
            f"{one:.0f}" if one >= 10 else f"{one:.1f}" for one in (row["low"], row["high"])
        )
        share = f"{row['percent']:.1f} % [{low}, {high}] of {reports:,} bugs"
    share += " is a performance bug" if performance == 1 else " are performance bugs"
    if trend is None or trend["is_too_few"]:
        yield f"{share}; too few to test for a trend"
    elif trend["p_adjusted"] is None:
        yield f"{share}; a trend cannot be tested"
    elif trend["verdict"] in ("rises", "falls"):
        yield share
        limits = f"[{trend['low']:.2f}, {trend['high']:.2f}]"
        yield (
            f"The share {trend['verdict']}: odds x {trend['odds_a_year']:.2f} a year {limits} "
            f"({p_text(trend['p_adjusted'])})"
        )
    else:
        yield f"{share}; no trend shown ({_strength(trend['p_adjusted'], trend['power'])})"


def _strength(p: float, power: float | None) -> str:
    """How much it means that nothing is shown: little where little could have been."""
    return p_text(p) if power is None or power >= ENOUGH else f"power {power:.2f}"


def _fix_time(row: Row) -> Iterator[str]:
    performance, other, p = row["median_performance"], row["median_other"], row["p"]
    if row["is_too_few"]:
        if row["n_performance"] or row["n_other"]:
            counts = f"{row['n_performance']:,} fixed, others {row['n_other']:,}"
            yield f"Time to fix: too few to compare ({counts})"
        return
    if p is None:
        return
    medians = ""
    if performance is not None and other is not None:
        medians = f": {performance:.3g} days in the median, others {other:.3g}"
    if p >= SIGNIFICANT:
        yield f"Time to fix: no difference shown{medians} ({_strength(p, row['power'])})"
    elif row["cliffs_delta"] > 0:
        yield f"They take longer to fix{medians} ({p_text(p)})"
    else:
        yield f"They are fixed sooner{medians} ({p_text(p)})"


def _month(row: Row) -> str:
    usual = "" if row["opened_median"] is None else f" (usually {row['opened_median']:,.3g})"
    more = 0 if row["open_before"] is None else row["open_performance"] - row["open_before"]
    change = f" ({more:+,})" if more else ""
    month = f"{row['month']}, the last active month" if row["is_at_rest"] else row["month"]
    bugs = "bug" if row["opened_performance"] == 1 else "bugs"
    return (
        f"{month}: {row['opened_performance']:,} new performance {bugs}{usual}, "
        f"{row['newly_fixed_performance']:,} fixed, {row['open_performance']:,} open{change}"
    )


def _forums(connection: duckdb.DuckDBPyConnection) -> Iterator[tuple[str, list[str]]]:
    try:
        rows = read_rows(connection, ASKED)
    except duckdb.CatalogException:  # where a lake has them
        return
    for name in dict.fromkeys(row["repository"] for row in rows):
        by_group = {row["questions"]: row for row in rows if row["repository"] == name}
        total = sum(row["asked"] for row in by_group.values())
        performance = by_group.get("performance", {"asked": 0, "percent": None})
        sentence = (
            f"{100 * performance['asked'] / total:.1f} % of {total:,} questions are about "
            "performance"
        )
        if "other" in by_group and performance["percent"] is not None:
            sentence += (
                f"; accepted {performance['percent']:.0f} %, others "
                f"{by_group['other']['percent']:.0f} %"
            )
        yield name, [sentence]
