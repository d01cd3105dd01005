"""What a reader sees first: a verdict, a picture, three numbers, and what to look at.

The terminal, the report, its summary in Markdown and the site show the same sentences.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import duckdb

from perf_assets.base.months import add_months
from perf_assets.base.sanitize import escape_text
from perf_assets.core.statistics.minimum_events import CURVE
from perf_assets.reports.document import FirstScreen, Item, Tile
from perf_assets.reports.figures.trends import share_by_month
from perf_assets.reports.monthly.growth import (
    CHANGED,
    GROWS,
    SHRINKS,
    Growth,
    headline,
)
from perf_assets.reports.monthly.news import Lists
from perf_assets.reports.quality import unexpected
from perf_assets.reports.sql_files import rows_of
from perf_assets.reports.top_repositories import passed_over, without
from perf_assets.reports.words import counted, month_name, percent

Row = Mapping[str, Any]

POOLED = "pooled"
MOST_REPOSITORIES = 3
"""Repositories that are named; the verdict counts all."""

MOST_PANELS = 2
MOST_ITEMS = 3

SERIES = {
    ("opened_share", "up"): "The share of performance bugs rose in {month}",
    ("opened_share", "down"): "The share of performance bugs fell in {month}",
    ("backlog_growth", "up"): "Open performance bugs pile up faster since {month}",
    ("backlog_growth", "down"): "Open performance bugs pile up more slowly since {month}",
    ("hours_to_first_comment", "up"): "First answers to performance bugs take longer since {month}",
    (
        "hours_to_first_comment",
        "down",
    ): "First answers to performance bugs come sooner since {month}",
    ("fix_time_days", "up"): "Fixes of performance bugs take longer since {month}",
    ("fix_time_days", "down"): "Fixes of performance bugs come sooner since {month}",
}

ENTRIES = (
    ("opened", "comments", "comment", "new, {}"),
    ("waiting", "days_open", "day", "open for {}"),
    ("performance_bugs", "comments", "comment", "most discussed of all, {}"),
)
"""Lists of which an entry is shown: the one with most of a column, its unit, and what is said."""


def read_first_screen(
    connection: duckdb.DuckDBPyConnection, growths: Sequence[Growth], lists: Lists
) -> FirstScreen | None:
    """Return the first screen; None where no issues are mined."""
    shares = {row["repository"]: row for row in rows_of(connection, "shares").to_dicts()}
    if not shares:
        return None
    verdicts = _ordered(growths, passed_over(connection))
    months = rows_of(connection, "newest_month").to_dicts()
    named = [growth.repository for growth in verdicts[:MOST_PANELS]]
    drawn = rows_of(connection, "share_by_month")
    return FirstScreen(
        period=_period(list(shares.values())),
        verdict=headline(growths),
        certainty=_certainty(verdicts),
        share=_share(connection, shares),
        panels=share_by_month(drawn.filter(drawn["repository"].is_in(named))),
        numbers=list(_numbers(months, shares[POOLED])),
        items=list(islice(_items(connection, lists, several=len(months) > 1), MOST_ITEMS)),
    )


def _ordered(growths: Sequence[Growth], left_out: frozenset[str]) -> list[Growth]:
    """Return the verdicts, those that show a change first."""
    shown = [growth for growth in growths if growth.repository not in left_out]
    return sorted(shown, key=lambda growth: growth.kind not in (GROWS, SHRINKS, CHANGED))


def _period(rows: Sequence[Row]) -> str:
    firsts = [row["first_month"] for row in rows if row["first_month"]]
    lasts = [row["last_series_month"] for row in rows if row["last_series_month"]]
    if not (firsts and lasts):
        return ""
    months = f"{month_name(min(firsts))} to {month_name(max(lasts))}"
    (row,) = rows[:-1] if len(rows) == 2 else [{}]
    if row.get("archived_month"):
        return f"{months}, archived in {month_name(row['archived_month'])}"
    return f"{months}, without activity since" if row.get("is_at_rest") else months


def _certainty(verdicts: Sequence[Growth]) -> list[str]:
    if len(verdicts) == 1:
        return [verdicts[0].certainty] if verdicts[0].certainty else []
    sentences = [f"{growth.repository}: {growth.short}." for growth in verdicts[:MOST_REPOSITORIES]]
    more = len(verdicts) - MOST_REPOSITORIES
    if more > 0:
        sentences.append(f"{more:,} more repositories are below.")
    return sentences


def _share(connection: duckdb.DuckDBPyConnection, shares: Mapping[str, Row]) -> str:
    """Return how much of all bug reports is about performance."""
    name = next(iter(shares)) if len(shares) == 2 else POOLED
    row = shares[name]
    believed = {
        found["repository"]: found for found in rows_of(connection, "believed_shares").to_dicts()
    }.get(name)
    reports = counted(row["reports"], "bug report")
    if believed is not None:
        low, high = percent(believed["low"]), percent(believed["high"])
        sentence = (
            f"Over the whole period about {percent(believed['estimate'])} of {reports} are about "
            f"performance (between {low} and {high}, allowing for wrong labels)."
        )
        if believed["low"] <= row["percent"] <= believed["high"]:
            return sentence
        return (
            f"{sentence} The words and labels that are counted here say {percent(row['percent'])}."
        )
    if row["performance"] < CURVE:
        return ""
    low, high = percent(row["low"]), percent(row["high"])
    return (
        f"Over the whole period {percent(row['percent'])} of {reports} are marked as performance "
        f"bugs (between {low} and {high})."
    )


def _numbers(months: Sequence[Row], whole: Row) -> Iterator[Tile]:
    """Yield new, fixed and open performance bugs, with those of the month before."""
    if not months:
        return
    if all(row["is_at_rest"] for row in months):
        open_now = sum(row["open_performance"] for row in months)
        fixed = sum(row["fixed_performance"] for row in months)
        yield Tile(
            f"{whole['performance']:,.0f}",
            "performance bugs",
            f"of {whole['reports']:,} bug reports",
        )
        yield Tile(f"{fixed:,}", "of them fixed", "by a linked commit")
        yield Tile(f"{open_now:,}", "still open")
        return
    active = [row for row in months if not row["is_at_rest"]]
    names = {row["month"] for row in active}
    month, month_before = "the newest month", "the month before"
    if len(names) == 1:
        (newest,) = names
        month, month_before = month_name(newest), month_name(add_months(newest, -1))
    opened, fixed, now = (
        _sum(active, f"{column}_performance") or 0 for column in ("opened", "newly_fixed", "open")
    )
    before = [_sum(active, f"{column}_before") for column in ("opened", "fixed", "open")]
    notes = ["" if number is None else f"{month_before}: {number:,}" for number in before]
    if before[2] is not None and (otherwise := before[2] + opened - fixed - now) > 0:
        notes[1] = f"{otherwise:,} closed otherwise; {notes[1]}"
    yield Tile(f"{opened:,}", f"new in {month}", notes[0])
    yield Tile(f"{fixed:,}", f"fixed in {month}", notes[1])
    yield Tile(f"{now:,}", f"open at the end of {month}", notes[2])


def _sum(rows: Sequence[Row], column: str) -> int | None:
    """Return the sum of a column; None where a value is not known."""
    values = [row[column] for row in rows]
    return None if None in values else sum(values)


def describe_change(row: Row) -> str:
    """Return what changed, and when, of a row of ``marts.alerts``."""
    return SERIES[row["series"], row["direction"]].format(month=month_name(row["month"]))


def _items(connection: duckdb.DuckDBPyConnection, lists: Lists, *, several: bool) -> Iterator[Item]:
    """Yield what to look at, the most important first, of one or ``several`` repositories."""
    left_out = passed_over(connection)
    shown = without(rows_of(connection, "behind_alerts"), left_out)
    for row in shown.head(1).to_dicts():
        said = describe_change(row)
        where = row["area"] or (row["repository"] if several else "")
        more = counted(row["performance_bugs"], "report") + " behind it, found by words and labels"
        yield Item(escape_text(f"{where}:" if where else ""), said, "", more, "alerts")
    for sentence in unexpected(connection)[:1]:
        yield Item("", sentence, "", anchor="quality")
    for name, column, unit, words in ENTRIES:
        rows = [row for row in lists.rows(name) if row["repository"] not in left_out]
        if rows:
            row = max(rows, key=lambda row: row[column] or 0)
            yield Item(
                f"#{row['number']}",
                escape_text(row["title"] or "without a title"),
                row["html_url"] or "",
                words.format(counted(row[column] or 0, unit)),
            )
