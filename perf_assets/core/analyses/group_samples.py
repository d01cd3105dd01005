"""What the analyses have in common: performance bugs beside others, metric by metric."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from perf_assets.core.statistics.samples import (
    Floats,
    TrendAlternative,
    Values,
    as_floats,
    cliffs_delta,
    magnitude,
    mann_whitney_u,
)

CONFIDENCE = 0.95
"""Of every interval in the analysis tables."""

POOLED = "pooled"
"""Stands in the column ``repository`` for all repositories of a dataset together."""

TREND_ALTERNATIVE: TrendAlternative = "increasing"
"""What the paper expects of both its series (section IV)."""

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
    is_too_few: bool = False
    too_few_reason: str | None = None


def compare(bugs: pl.DataFrame, metric: str) -> Comparison:
    """Compare performance with other bugs in ``metric``, over its population among ``bugs``."""
    return compare_samples(*metric_samples(bugs, metric))


def compare_samples(performance: Values, other: Values) -> Comparison:
    """Compare the values of performance bugs with those of other bugs, none of them NULL."""
    test = mann_whitney_u(performance, other)
    delta = cliffs_delta(performance, other)
    first, second = (median_of(as_floats(values)) for values in (performance, other))
    figures = (first, second, test.statistic, test.pvalue, delta)
    return Comparison(test.n_x, test.n_y, *figures, magnitude(delta))


def metric_samples(bugs: pl.DataFrame, metric: str) -> tuple[pl.Series, pl.Series]:
    """Return the values of ``metric`` for performance and for other bugs, over its population."""
    population = bugs.filter("is_fixed") if METRICS[metric] == "fixed" else bugs
    value = pl.col(metric).cast(pl.Float64).fill_nan(None)
    values = population.select("is_performance", value).drop_nulls()
    performance, other = (values.filter(is_performance=kind)[metric] for kind in (True, False))
    return performance, other


def kinds_of(bugs: pl.DataFrame) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which are performance bugs, and which are others; one without a label is neither."""
    return are_true(bugs["is_performance"]), are_false(bugs["is_performance"])


def are_true(values: pl.Series) -> NDArray[np.bool_]:
    """Return which of them are true; a missing one is not."""
    # Arrays, not queries: of ten thousand repositories these are a million.
    return (values.fill_null(value=False) if values.null_count() else values).to_numpy()


def are_false(values: pl.Series) -> NDArray[np.bool_]:
    """Return which of them are false; a missing one is not."""
    return ~(values.fill_null(value=True) if values.null_count() else values).to_numpy()


def complete_months(months: pl.DataFrame) -> pl.DataFrame:
    """Return the complete months, in order of time."""
    return months.filter(pl.col("is_complete")).sort("month")


def groups_of(rows: pl.DataFrame, *columns: str) -> list[tuple[tuple[Any, ...], pl.DataFrame]]:
    """Return the values of ``columns``, in order, each with its rows."""
    return sorted(rows.partition_by(columns, as_dict=True).items())


def by_repository(rows: pl.DataFrame) -> Iterator[tuple[str, str, pl.DataFrame]]:
    """Yield each dataset and repository with its rows, in order of their names."""
    for (dataset, repository), group in groups_of(rows, "dataset", "repository"):
        yield dataset, repository, group


def strata_of(rows: pl.DataFrame, columns: Sequence[str]) -> list[pl.DataFrame]:
    """Return the rows of each dataset and repository, with ``columns`` at least, by name."""
    if rows["repository"].n_unique() == rows["dataset"].n_unique() == 1:
        return [rows]  # as they mostly are: nothing is to be parted
    chosen = rows.select("dataset", "repository", *columns)
    return [group for _, _, group in by_repository(chosen)]


def rows_of_repositories(rows: pl.DataFrame) -> dict[tuple[str, str], pl.DataFrame]:
    """Return the rows of each dataset and repository."""
    return {(dataset, repository): group for dataset, repository, group in by_repository(rows)}


def by_repository_and_pooled(rows: pl.DataFrame) -> Iterator[tuple[str, str, pl.DataFrame]]:
    """Yield each dataset's repositories with their rows, and after them :data:`POOLED` with all."""
    for (dataset,), group in groups_of(rows, "dataset"):
        yield from by_repository(group)
        yield dataset, POOLED, group


def median_of(values: Floats, minimum: int = 1) -> float | None:
    """Return the median; None of fewer than ``minimum`` values."""
    return float(np.median(values)) if len(values) >= minimum else None


def percent(share: float | None) -> float | None:
    """Return a share in percent; None of None."""
    return None if share is None else 100.0 * share


def percent_larger(performance: float | None, other: float | None) -> float | None:
    """By how many percent the median of performance bugs is above that of others.

    None without one of them, and where that of others is 0.
    """
    if performance is None or not other:
        return None
    return 100 * (performance / other - 1)
