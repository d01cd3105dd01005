"""The regressions that benchmarks measured, as lines of text and for programs."""

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from perf_assets.base.errors import PerfAssetsError
from perf_assets.reports.sql_files import published_rows, sql_of
from perf_assets.reports.words import counted

SHORT = 12  # characters of a hash


def read_regressions(
    published: Path, since: str | None = None, percent: float = 0.0, machines: int = 1
) -> pl.DataFrame:
    """Return rows of ``marts.regressions`` that are for the worse, the newest first.

    Parameters
    ----------
    published : the published database.
    since : first month; by default that of the newest three months of each repository's results.
    percent : by how much at least the median of what changed is worse.
    machines : on how many machines at least.

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
    ).drop("since")


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
        yield (
            f"{row['repository']} {row['month']} {commits}: {benchmarks} on {machines}, "
            f"median {_times(row['median_ratio'])}, most {_times(row['largest_ratio'])} {most}"
        )


def _times(ratio: float) -> str:
    return f"{ratio:.2f}x" if ratio < 100 else f"{ratio:,.0f}x"
