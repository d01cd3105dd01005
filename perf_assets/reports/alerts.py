"""The alerts in the terminal and for programs."""

from pathlib import Path

import polars as pl
from rich.console import Console

from perf_assets.reports.sql_files import published_rows
from perf_assets.reports.terminal import print_table, say

OPEN_STATES = ("new", "known")
"""The states of alerts that somebody may still have to look at."""

ALERTS = "from marts.alerts order by month desc, repository, alert_id"


def read_alerts(published: Path, *, is_all: bool = False) -> pl.DataFrame:
    """``marts.alerts``, the newest change first; without ``is_all`` those that are open.

    Raises
    ------
    PerfAssetsError
        Nothing is published yet, or by an older version.
    """
    rows = published_rows(published, ALERTS, "alerts")
    return rows if is_all else rows.filter(pl.col("state").is_in(OPEN_STATES))


def print_alerts(console: Console, rows: pl.DataFrame) -> None:
    """Print the alerts of each repository as a table."""
    if rows.is_empty():
        say(console, "No alert is open: perf-assets alerts --all lists those that were.")
        return
    for (repository,), own in rows.group_by("repository", maintain_order=True):
        print_table(console, f"{repository}: what changed", _shown(own))


def _shown(rows: pl.DataFrame) -> pl.DataFrame:
    issues = pl.col("issues").list.eval("#" + pl.element().cast(pl.String)).list.join(" ")
    more = pl.col("performance_bugs") - pl.col("issues").list.len()
    return rows.select(
        "alert_id",
        "state",
        pl.concat_str("result", pl.col("also_changed").list.join("; "), separator="; also: ")
        .str.strip_suffix("; also: ")
        .alias("what"),
        pl.when(more > 0)
        .then(pl.concat_str(issues, pl.lit(" and "), more, pl.lit(" more")))
        .otherwise(issues)
        .alias("performance bugs after it"),
        pl.concat_str("state_by", "state_note", separator=": ", ignore_nulls=True).alias("said"),
    )
