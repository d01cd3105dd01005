"""The regressions that benchmarks measured, as lines of text and for programs."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import polars as pl

from perf_assets.base.errors import PerfAssetsError
from perf_assets.reports.words import counted
from perf_assets.schema.frames import frame_of
from perf_assets.storage.warehouse import reading

REGRESSIONS = """
    WITH newest AS (
        SELECT repository, max(month) AS newest_month
        FROM raw.benchmark_files WHERE results > 0 GROUP BY repository
    )
    SELECT regressions.* FROM marts.regressions AS regressions JOIN newest USING (repository)
    WHERE is_regression
      AND month >= coalesce(
          ?, strftime(CAST(newest_month || '-01' AS DATE) - INTERVAL 2 MONTH, '%Y-%m')
      )
      AND greatest(median_ratio, 1 / median_ratio) >= 1 + ? / 100
      AND machines >= ?
    ORDER BY committed_at DESC, repository, regression_id
"""
COUNT = "SELECT count(*) FROM raw.benchmark_files"
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
    with reading(published) as connection:
        try:
            ((results,),) = connection.execute(COUNT).fetchall()
            if not results:
                raise PerfAssetsError(
                    f"{published} has no benchmark results: add [[benchmarks]] to the study and "
                    "run it"
                )
            return frame_of(connection.sql(REGRESSIONS, params=[since, percent, machines]))
        except duckdb.CatalogException:
            raise PerfAssetsError(
                f"{published} was published by an older perf-assets, which knew no benchmarks: "
                "perf-assets run publishes it anew"
            ) from None


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
