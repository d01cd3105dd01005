"""Histories of bug reports, from a line for each, as the tables that analyses read."""

from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from perf_assets.base.months import add_months
from perf_assets.core.analyses.group_samples import METRICS
from perf_assets.core.analyses.permutation_series import (
    FLOWS,
    NO_SERIES,
    SERIES,
    CumulativeSeries,
    series_by_repository,
)

FIRST = "2018-01"
COUNTS = [column for pair in SERIES.values() for column in pair]
DAY = timedelta(days=1)


class Bug(NamedTuple):
    """A bug report: the months, from 0 on, in which it was opened and closed, and what it is."""

    opened: int
    closed: int | None = None
    is_performance: bool = False
    is_fixed: bool = False


def month(index: int) -> str:
    return add_months(FIRST, index)


def moment(index: int, day: int = 10) -> datetime:
    year, number = map(int, month(index).split("-"))
    return datetime(year, number, 1, tzinfo=UTC) + timedelta(days=day)


def paths_of(history: pl.DataFrame, months: list[str]) -> CumulativeSeries:
    """The paths of a history of one repository, in a series of ``months``."""
    key = [pl.lit("").alias(name) for name in ("dataset", "repository")]
    series = pl.DataFrame({"month": months}, schema={"month": pl.String}).with_columns(key)
    return series_by_repository(history.with_columns(key), series).get(("", ""), NO_SERIES)


def issue_history(
    bugs: Iterable[Bug], repository: str = "a/a", dataset: str = "live"
) -> pl.DataFrame:
    """As ``marts.issue_history``: a row from the opening on, and one from the close on."""
    rows: list[dict[str, Any]] = []
    for number, bug in enumerate(bugs, 1):
        row = {
            "dataset": dataset,
            "repository": repository,
            "number": number,
            "month": month(bug.opened),
            "until_month": None,
            "opened_month": month(bug.opened),
            "state": "open",
            "closed_at": None,
            "is_bug_report": True,
            "is_performance": bug.is_performance,
            "is_fixed": False,
        }
        if bug.closed is None or bug.closed > bug.opened:
            until = None if bug.closed is None else month(bug.closed)
            rows.append({**row, "until_month": until})
        if bug.closed is not None:
            end = {"state": "closed", "closed_at": moment(bug.closed), "is_fixed": bug.is_fixed}
            rows.append({**row, "month": month(bug.closed), **end})
    schema = {
        "dataset": pl.String,
        "repository": pl.String,
        "number": pl.Int64,
        "month": pl.String,
        "until_month": pl.String,
        "opened_month": pl.String,
        "state": pl.String,
        "closed_at": pl.Datetime("us", "UTC"),
        "is_bug_report": pl.Boolean,
        "is_performance": pl.Boolean,
        "is_fixed": pl.Boolean,
    }
    return pl.DataFrame(rows, schema=schema)


def trend_monthly(
    bugs: Iterable[Bug], months: int, first: int = 0, repository: str = "a/a", dataset: str = "live"
) -> pl.DataFrame:
    """As ``marts.trend_monthly``, counted bug by bug."""
    known = list(bugs)
    rows = []
    for index in range(first, first + months):
        is_in = {
            "open": [b.opened <= index and (b.closed is None or b.closed > index) for b in known],
            "fixed": [b.is_fixed and b.closed is not None and b.closed <= index for b in known],
            "opened": [b.opened == index for b in known],
            "newly_fixed": [b.is_fixed and b.closed == index for b in known],
        }
        counts = [
            sum(
                chosen and (what == "total" or bug.is_performance)
                for chosen, bug in zip(in_it, known, strict=True)
            )
            for in_it in is_in.values()
            for what in ("performance", "total")
        ]
        rows.append((dataset, repository, month(index), True, *counts))
    schema = {
        "dataset": pl.String,
        "repository": pl.String,
        "month": pl.String,
        "is_complete": pl.Boolean,
        **dict.fromkeys(COUNTS, pl.Int64),
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


LINKS_SCHEMA = {
    "dataset": pl.String,
    "repository": pl.String,
    "number": pl.Int64,
    "sha": pl.String,
    "is_performance": pl.Boolean,
    "opened_at": pl.Datetime("us", "UTC"),
    "closed_at": pl.Datetime("us", "UTC"),
    "additions": pl.Int64,
    "deletions": pl.Int64,
    "doubts": pl.List(pl.String),
}
"""Of ``intermediate.counted_links``, as ``link_sensitivity`` reads it."""


def bug_reports(
    bugs: Iterable[Bug],
    strengths: Mapping[int, str] | None = None,
    widened: Collection[int] = (),
) -> pl.DataFrame:
    """As ``staging.bug_reports``; performance bugs are strong but where ``strengths`` says else."""
    rows = [
        (
            "live",
            "a/a",
            number,
            bug.is_performance,
            (strengths or {}).get(number, "strong") if bug.is_performance else None,
            ["leak"] if number in widened else [],
        )
        for number, bug in enumerate(bugs, 1)
    ]
    schema = {
        "dataset": pl.String,
        "repository": pl.String,
        "number": pl.Int64,
        "is_performance": pl.Boolean,
        "strength": pl.String,
        "widened_keywords": pl.List(pl.String),
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def bug_metrics(
    bugs: Iterable[Bug], repository: str = "a/a", dataset: str = "live"
) -> pl.DataFrame:
    """As ``marts.bug_metrics``; metrics are numbers that follow from the number of the bug."""
    rows = [
        (
            dataset,
            repository,
            number,
            bug.is_performance,
            bug.is_fixed,
            moment(bug.opened, 5),
            None if bug.closed is None else moment(bug.closed),
            *(float(number * step % 11) for step in range(1, 1 + len(METRICS))),
        )
        for number, bug in enumerate(bugs, 1)
    ]
    schema = {
        "dataset": pl.String,
        "repository": pl.String,
        "number": pl.Int64,
        "is_performance": pl.Boolean,
        "is_fixed": pl.Boolean,
        "opened_at": pl.Datetime("us", "UTC"),
        "closed_at": pl.Datetime("us", "UTC"),
        **dict.fromkeys(METRICS, pl.Float64),
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def fixes(*rows: tuple[int, str], repository: str = "a/a", dataset: str = "live") -> pl.DataFrame:
    """As ``intermediate.counted_fixes``: the number of a bug and a commit."""
    full = [(dataset, repository, *row) for row in rows]
    schema = {"dataset": pl.String, "repository": pl.String, "number": pl.Int64, "sha": pl.String}
    return pl.DataFrame(full, schema=schema, orient="row")


def generated(
    seed: int,
    months: int = 48,
    by_month: float = 20,
    share: float = 0.1,
    more_by_year: float = 1.0,
    slower: float = 1.0,
) -> list[Bug]:
    """A history of reports; performance bugs become more by a factor a year, or stay longer."""
    random = np.random.default_rng(seed)
    bugs = []
    for opened in range(months):
        odds = share / (1 - share) * more_by_year ** (opened / 12)
        for _ in range(random.poisson(by_month * (1 + opened / 24))):
            is_performance = random.random() < odds / (1 + odds)
            wait = random.exponential(6 * (slower if is_performance else 1))
            closed = opened + int(wait)
            is_closed = closed < months and random.random() < 0.8
            is_fixed = is_closed and random.random() < 0.3
            bugs.append(Bug(opened, closed if is_closed else None, is_performance, is_fixed))
    return bugs


__all__ = ["FLOWS", "Bug", "bug_metrics", "fixes", "generated", "issue_history", "trend_monthly"]
