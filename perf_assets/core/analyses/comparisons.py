"""The paper's results as tables: trend tests and comparisons of performance with other bugs.

Table and column names are those of the marts they read and of the analysis tables they make.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import polars as pl

from perf_assets.core.statistics.samples import (
    TrendAlternative,
    cliffs_delta,
    cox_stuart,
    magnitude,
    mann_whitney_u,
)
from perf_assets.tables import schema_of

POOLED = "pooled"
"""Stands in the column ``repository`` for all repositories of a dataset together."""

TREND_ALTERNATIVE: TrendAlternative = "increasing"
"""What the study expects of both series (section IV of the paper)."""

TREND_SERIES = {"open": "open_percentage", "fixed": "fixed_percentage"}
"""The two series of the trend test and their columns in ``marts.trend_monthly``."""

METRICS = {
    "fix_time_days": "fixed",
    "fix_size": "fixed",
    "comments": "all",
    "commentators": "all",
    "hours_to_first_comment": "all",
}
"""The compared columns of ``marts.bug_metrics``, and whether of fixed or all bug reports.

A bug report without a value is left out: ``hours_to_first_comment`` is thus compared over those
that somebody else commented on.
"""


FIGURES = {
    "median_performance": pl.Float64,
    "median_other": pl.Float64,
    "statistic": pl.Float64,
    "p_value": pl.Float64,
    "cliffs_delta": pl.Float64,
    "magnitude": pl.String,
}
"""The columns of every comparison of performance bugs with others, after their numbers."""


def trend_tests(trend_monthly: pl.DataFrame) -> pl.DataFrame:
    """Test the monthly percentages of performance bugs for an increase (Cox-Stuart, one-sided).

    Parameters
    ----------
    trend_monthly
        ``marts.trend_monthly``: dataset, repository, month, is_complete, open_percentage,
        fixed_percentage. Only complete months count; a month without a percentage (no open, or
        no fixed, bug at all) keeps its place in the series and is dropped with its pair.

    Returns
    -------
    ``analysis.trend_tests``: two rows for each dataset and
    repository, in that order, open before fixed. ``n`` is the number of months with a percentage,
    ``n_pairs`` the untied pairs, ``n_positive`` and ``statistic`` those that rise. Without a pair
    ``statistic`` and ``p_value`` are NULL.
    """
    rows = [
        _trend_row(dataset, repository, series, complete_months(months).get_column(column))
        for dataset, repository, months in by_repository(trend_monthly)
        for series, column in TREND_SERIES.items()
    ]
    return pl.DataFrame(rows, schema=schema_of("analysis.trend_tests"), orient="row")


def group_comparisons(bug_metrics: pl.DataFrame) -> pl.DataFrame:
    """Compare performance bugs with other bugs, metric by metric (Mann-Whitney U, Cliff's delta).

    Parameters
    ----------
    bug_metrics
        ``marts.bug_metrics``: dataset, repository, is_performance, is_fixed and the columns of
        :data:`METRICS`, which says over which bug reports each is compared.

    Returns
    -------
    ``analysis.group_comparisons``: one row for each dataset,
    repository and metric; the repositories of a dataset in order, then :data:`POOLED` for all of
    them together. ``statistic`` is U of the performance bugs, ``cliffs_delta`` is positive when
    theirs are the larger values. Figures of an empty group are NULL.
    """
    rows = [
        (dataset, repository, metric, *compare(bugs, metric))
        for dataset, repository, bugs in by_repository_and_pooled(bug_metrics)
        for metric in METRICS
    ]
    return pl.DataFrame(rows, schema=schema_of("analysis.group_comparisons"), orient="row")


class Comparison(NamedTuple):
    """Performance bugs against others in one metric; the columns of ``analysis``' tables."""

    n_performance: int
    n_other: int
    median_performance: float | None
    median_other: float | None
    statistic: float | None
    p_value: float | None
    cliffs_delta: float | None
    magnitude: str | None


def compare(bugs: pl.DataFrame, metric: str) -> Comparison:
    """Compare performance with other bugs in ``metric``, over its population among ``bugs``."""
    return compare_samples(*metric_samples(bugs, metric))


def compare_samples(performance: pl.Series, other: pl.Series) -> Comparison:
    """Compare the values of performance bugs with those of other bugs, none of them NULL."""
    test = mann_whitney_u(performance, other)
    delta = cliffs_delta(performance, other)
    return Comparison(
        test.n_x,
        test.n_y,
        _median(performance),
        _median(other),
        test.statistic,
        test.pvalue,
        delta,
        magnitude(delta),
    )


def metric_samples(bugs: pl.DataFrame, metric: str) -> tuple[pl.Series, pl.Series]:
    """The values of ``metric`` for performance and for other bugs, over its population."""
    population = bugs.filter(pl.col("is_fixed")) if METRICS[metric] == "fixed" else bugs
    values = population.select("is_performance", pl.col(metric).cast(pl.Float64).fill_nan(None))
    values = values.drop_nulls()
    return (
        values.filter(pl.col("is_performance")).get_column(metric),
        values.filter(~pl.col("is_performance")).get_column(metric),
    )


def complete_months(months: pl.DataFrame) -> pl.DataFrame:
    """The complete months of one repository, in order of time."""
    return months.filter(pl.col("is_complete")).sort("month")


def by_repository(rows: pl.DataFrame) -> Iterator[tuple[str, str, pl.DataFrame]]:
    """Each dataset and repository with its rows, in order of their names."""
    for (dataset, repository), group in sorted(
        rows.partition_by("dataset", "repository", as_dict=True).items()
    ):
        yield dataset, repository, group


def by_repository_and_pooled(rows: pl.DataFrame) -> Iterator[tuple[str, str, pl.DataFrame]]:
    """Each dataset's repositories with their rows, and after them :data:`POOLED` with all."""
    for (dataset,), group in sorted(rows.partition_by("dataset", as_dict=True).items()):
        yield from by_repository(group)
        yield dataset, POOLED, group


def _trend_row(dataset: str, repository: str, series: str, shares: pl.Series) -> tuple[object, ...]:
    test = cox_stuart(shares, alternative=TREND_ALTERNATIVE)
    return (
        dataset,
        repository,
        series,
        "cox_stuart",
        test.n,
        test.n_pairs,
        test.n_positive,
        test.statistic,
        test.pvalue,
        test.alternative,
    )


def _median(values: pl.Series) -> float | None:
    return float(np.median(values.to_numpy())) if len(values) else None
