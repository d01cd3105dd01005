"""What a study found, in a few sentences for each repository: the last screen of a run."""

from collections.abc import Iterator, Mapping
from typing import Any

import duckdb

from perf_assets.core.analyses.formatting import p_text
from perf_assets.reports.figures.trends import TESTS
from perf_assets.reports.monthly.news import NUMBERS, read_rows
from perf_assets.reports.queries import ADJUSTED, ASKED
from perf_assets.reports.top_repositories import passed_over, remark

Row = Mapping[str, Any]

POOLED = "pooled"
SIGNIFICANT = 0.05
REPOSITORIES = """
with bugs as (
    select
        repository, sum(open + closed) as reports,
        sum(open + closed) filter (where is_performance) as performance
    from marts.dataset_breakdown
    where dataset = 'live'
    group by grouping sets ((repository), ())
)

select
    coalesce(bugs.repository, 'pooled') as repository, reports, performance,
    months.first_month, months.last_month
from bugs
left join (
    select repository, min(month) as first_month, max(month) as last_month
    from staging.loaded_months
    where dataset = 'live' and has_issues
    group by repository
) as months using (repository)
where reports > 0
order by bugs.repository is null, bugs.repository
"""
FIX_TIME = f"""
select
    tests.repository, tests.median_performance, tests.median_other, tests.cliffs_delta,
    family.p_value_holm as p
from analysis.group_comparisons as tests
{ADJUSTED.format("group_comparisons", "tests.metric")}
where tests.dataset = 'live' and tests.metric = 'fix_time_days'
"""
DOUBTS = """
select
    repository, count(distinct month) filter (where is_anomaly) as odd_months,
    max(month) filter (where is_anomaly) as newest_odd
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
        sentences = [_share(row, trends.get(name))]
        if name in times:
            sentences += _fix_time(times[name])
        if name in newest:
            sentences.append(_month(newest[name]))
        if name in doubts:
            sentences += _doubts(doubts[name])
        yield _title(row, len(rows)), sentences
    yield from _forums(connection)
    for sentence in remark(left_out):
        yield sentence, []


def _title(row: Row, repositories: int) -> str:
    if row["repository"] == POOLED:
        return f"All {repositories:,} repositories"
    months = f", {row['first_month']} to {row['last_month']}" if row["first_month"] else ""
    return f"{row['repository']}{months}"


def _share(row: Row, trend: Row | None) -> str:
    performance = row["performance"] or 0
    percent = 100 * performance / row["reports"]
    found = f"{percent:.1f} % of {row['reports']:,} bugs are performance bugs"
    if trend is None or trend["p_adjusted"] is None:
        return f"{found}; a trend cannot be tested"
    p = p_text(trend["p_adjusted"])
    if trend["verdict"] in ("rises", "falls"):
        return f"{found}; the share {trend['verdict']} ({p})"
    return f"{found}; no trend shown ({p})"


def _fix_time(row: Row) -> Iterator[str]:
    performance, other, p = row["median_performance"], row["median_other"], row["p"]
    if p is None:
        return
    medians = ""
    if performance is not None and other is not None:
        medians = f": {performance:.3g} days in the median, others {other:.3g}"
    if p >= SIGNIFICANT:
        yield f"Time to fix shows no difference{medians} ({p_text(p)})"
    elif row["cliffs_delta"] > 0:
        yield f"They take longer to fix{medians} ({p_text(p)})"
    else:
        yield f"They are fixed sooner{medians} ({p_text(p)})"


def _month(row: Row) -> str:
    usual = "" if row["opened_median"] is None else f" (usually {row['opened_median']:,.3g})"
    more = 0 if row["open_before"] is None else row["open_performance"] - row["open_before"]
    change = f" ({more:+,})" if more else ""
    return (
        f"{row['month']}: {row['opened_performance']:,} new performance bugs{usual}, "
        f"{row['newly_fixed_performance']:,} fixed, {row['open_performance']:,} open{change}"
    )


def _doubts(row: Row) -> Iterator[str]:
    if row["odd_months"]:
        months = "1 month looks" if row["odd_months"] == 1 else f"{row['odd_months']:,} months look"
        yield f"Check before you trust it: {months} odd, the newest {row['newest_odd']}"


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
