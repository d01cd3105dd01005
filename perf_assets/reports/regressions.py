"""The regressions that benchmarks measured, as lines of text and for programs."""

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from perf_assets.base.errors import PerfAssetsError
from perf_assets.reports.sql_files import published_rows, sql_of
from perf_assets.reports.words import counted

SHORT = 12  # characters of a hash


def read_regressions(
    published: Path,
    since: str | None = None,
    percent: float = 0.0,
    machines: int = 1,
    *,
    is_all: bool = False,
) -> pl.DataFrame:
    """Return rows of ``marts.regression_lifetimes``, the newest first.

    Parameters
    ----------
    published : the published database.
    since : first month; by default that of the newest three months of each repository's results.
    percent : by how much at least the median of what changed is worse.
    machines : on how many machines at least.
    is_all : also those that a person knows or intends.

    Raises
    ------
    PerfAssetsError
        Nothing is published yet, or by an older version, or there are no benchmark results.
    """
    rows = published_rows(published, sql_of("measured_regressions"), "benchmarks")
    if rows.is_empty():
        raise PerfAssetsError(
            f"{published} has no benchmark results: add [[benchmarks]] to the study and run it"
        )
    ratio = pl.col("median_ratio")
    return rows.filter(
        pl.col("month") >= (pl.col("since") if since is None else since),
        pl.max_horizontal(ratio, 1 / ratio) >= 1 + percent / 100,
        pl.col("machines") >= machines,
        pl.lit(is_all) | (pl.col("regression_state") == "new"),
    ).drop("since")


def read_silences(published: Path) -> pl.DataFrame:
    """Return rows of ``marts.benchmark_silences`` that began in the newest twelve months.

    Raises
    ------
    PerfAssetsError
        Nothing is published yet, or by an older version.
    """
    return published_rows(published, sql_of("silent_benchmarks"), "benchmarks")


def regression_lines(rows: pl.DataFrame) -> Iterator[str]:
    """Yield a line for each regression: where it came from, and what became worse by how much."""
    for row in rows.iter_rows(named=True):
        first, last = row["first_sha"][:SHORT], row["last_sha"][:SHORT]
        number = row["candidate_commits"]
        commits = last if number == 1 else f"{first}..{last} ({number:,} commits)"
        benchmarks = counted(row["changed_benchmarks"], "benchmark")
        machines = counted(row["machines"], "machine")
        most = row["largest_benchmark"]
        if row["largest_parameters"]:
            most += f"({row['largest_parameters']})"
        ends = [
            *([f"reported in #{row['reported_in']}"] if row["reported_in"] else []),
            *([f"recovered on {row['recovered_at']:%Y-%m-%d}"] if row["recovered_at"] else []),
            *([row["regression_state"]] if row["regression_state"] != "new" else []),
        ]
        ends = [f"most {_times(row['largest_ratio'])} {most}", *ends]
        yield (
            f"{row['regression_id']} {row['repository']} {row['month']} {commits}: "
            f"{benchmarks} on {machines}, median {_times(row['median_ratio'])}, {', '.join(ends)}"
        )


def silence_lines(rows: pl.DataFrame) -> Iterator[str]:
    """Yield a line for each machine or benchmarks without results."""
    for row in rows.iter_rows(named=True):
        number = row["silent_benchmarks"]
        what = "" if row["is_machine"] else f"{row['first_benchmark']} on "
        if number > 1:
            what = f"{row['first_benchmark']} and {number - 1:,} more on "
        yield (
            f"no data: {row['repository']} {what}{row['machine']} has no results after "
            f"{row['last_sha'][:SHORT]} ({row['month']}), {row['silent_days']:,.0f} days; "
            f"usual are {row['usual_days']:,.0f} at most"
        )


def _times(ratio: float) -> str:
    return f"{ratio:.2f}x" if ratio < 100 else f"{ratio:,.0f}x"
