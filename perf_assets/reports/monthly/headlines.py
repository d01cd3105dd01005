"""What a study found, in a few sentences for each repository: the last screen of a run."""

from collections.abc import Iterator, Mapping
from typing import Any

import duckdb

from perf_assets.core.analyses.formatting import p_text
from perf_assets.core.statistics.minimum_events import CURVE
from perf_assets.reports.figures import figures
from perf_assets.reports.monthly.news import TESTS, read_rows
from perf_assets.reports.sql_files import rows_of
from perf_assets.reports.top_repositories import passed_over, remark

Row = Mapping[str, Any]

POOLED = "pooled"
SIGNIFICANT = 0.05
ENOUGH = 0.8
"""The power from which on it says something that no difference is shown."""


def headlines(connection: duckdb.DuckDBPyConnection) -> Iterator[tuple[str, list[str]]]:
    """Yield a title and its sentences, at most four, for each repository and tag set of a forum.

    Whether the share of performance bugs among new reports changes, whether they take longer to
    fix, what came in the newest month, and what to look at before any of it is trusted. Of several
    repositories there is one about all of them, pooled. Repositories beyond the largest are left
    out, which the last title says.
    """
    left_out = passed_over(connection)
    tests = (
        row for row in read_rows(connection, figures()[TESTS].rows) if row["series"] == "opened"
    )
    trends = {row["repository"]: row for row in tests}
    times, newest, doubts, believed = (
        {row["repository"]: row for row in rows_of(connection, name).to_dicts()}
        for name in ("fix_time", "newest_month", "doubts", "believed_shares")
    )
    *rows, pooled = rows_of(connection, "shares").to_dicts() or [{}]
    for row in rows if len(rows) == 1 else [*rows, pooled]:
        name = row.get("repository")
        if name is None or name in left_out:
            continue
        sentences = [*_share(row, trends.get(name), believed.get(name))]
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


def _share(row: Row, trend: Row | None, believed: Row | None) -> Iterator[str]:
    share = _counted(row, int(row["performance"]), int(row["reports"]), "bugs")
    if believed is None:
        share += " is a performance bug" if row["performance"] == 1 else " are performance bugs"
    else:
        rule = 100 * row["performance"] / row["reports"]
        share = (
            f"{believed['estimate']:.1f} % [{believed['low']:.0f}, {believed['high']:.0f}] of "
            f"{row['reports']:,} bugs are performance bugs (rule: {rule:.1f} %)"
        )
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


def _counted(row: Row, number: int, whole: int, noun: str) -> str:
    """Return a share with its interval, the counts alone where these are few."""
    if min(number, whole - number) < CURVE:
        return f"{number:,} of {whole:,} {noun}"
    low, high = (
        f"{item:.0f}" if item >= 10 else f"{item:.1f}" for item in (row["low"], row["high"])
    )
    return f"{100 * number / whole:.1f} % [{low}, {high}] of {whole:,} {noun}"


def _strength(p: float, power: float | None) -> str:
    """Return how much it means that nothing is shown: little where little could have been."""
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
        medians = f": {performance:.3g} days median, others {other:.3g}"
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
    # Where a lake has them, the tables are not here.
    for row in rows_of(connection, "shares_of_questions", is_optional=True).to_dicts():
        sentence = _counted(row, row["performance"], row["asked"], "questions")
        verb = "is a candidate" if row["performance"] == 1 else "are candidates"
        sentence += f" {verb} for performance by stems"
        yield row["repository"], [sentence, *_accepted(row)]


def _accepted(row: Row) -> Iterator[str]:
    """Yield how many of each group have an accepted answer; percentages if enough."""
    groups = (row["accepted"], row["performance"]), (row["others_accepted"], row["others"])
    if not all(questions for _, questions in groups):
        return
    own, others = (
        f"{accepted:,} of {questions:,}"
        if min(accepted for accepted, _ in groups) < CURVE
        else f"{100 * accepted / questions:.0f} %"
        for accepted, questions in groups
    )
    yield f"Of these {own} have an accepted answer, of the others {others}"
