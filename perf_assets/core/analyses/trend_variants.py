"""The trend of the share among new bug reports, over other reports and within other periods."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from perf_assets.core.analyses.group_samples import complete_months
from perf_assets.core.analyses.permutation_series import (
    MONTHS_IN_A_YEAR,
    PARTS,
    year_and_month,
)
from perf_assets.core.analyses.trends import NO_TREND, trend_change
from perf_assets.core.statistics.minimum_events import REGRESSION, too_few
from perf_assets.core.statistics.samples import finite
from perf_assets.core.statistics.trend import binomial_regression
from perf_assets.schema import schema_of

TABLE = "analysis.trend_variants"


def trend_variants(
    bug_metrics: pl.DataFrame,
    trend_monthly: pl.DataFrame,
    duplicate_groups: pl.DataFrame,
    instrument_changes: pl.DataFrame,
) -> pl.DataFrame:
    """Test the share of performance bugs among new bug reports for a trend, in several ways.

    Parameters
    ----------
    bug_metrics : ``marts.bug_metrics``: dataset, repository, number, month, is_performance and
        is_rejected.
    trend_monthly : ``marts.trend_monthly``: dataset, repository, month and is_complete. Complete
        months alone count.
    duplicate_groups : ``marts.duplicate_groups``.
    instrument_changes : ``marts.instrument_changes``: repository and month. Each begins a period
        with a level of its own; the trend within the periods is the same in all.

    Returns
    -------
    ``analysis.trend_variants``, by :func:`binomial_regression`.
    """
    year, month = year_and_month("month")
    months = complete_months(trend_monthly).filter(dataset="live")
    months = months.select("repository", "month", years=year + (month - 1) / MONTHS_IN_A_YEAR)
    reports = _folded(bug_metrics.filter(dataset="live"), duplicate_groups)
    rows: list[dict[str, Any]] = []
    for (repository,), series in months.sort("repository", "month").group_by(
        "repository", maintain_order=True
    ):
        own = reports.filter(repository=repository)
        changes = instrument_changes.filter(repository=repository)["month"].unique().sort()
        rows += [
            {"dataset": "live", "repository": repository, **row}
            for row in _variants(series, own, changes)
        ]
    return pl.DataFrame(rows, schema=schema_of(TABLE))


def _folded(bugs: pl.DataFrame, groups: pl.DataFrame) -> pl.DataFrame:
    """Return the bug reports with the column is_repeated: another one stands for them."""
    firsts = bugs.select("repository", first_number="number", has_first=True)
    repeated = (
        groups.filter(~pl.col("is_first"))
        .join(firsts, on=["repository", "first_number"])
        .select("repository", "number", is_repeated="has_first")
    )
    return bugs.join(repeated, on=["repository", "number"], how="left").with_columns(
        pl.col("is_repeated").fill_null(value=False), pl.col("is_rejected").fill_null(value=False)
    )


def _variants(
    months: pl.DataFrame, reports: pl.DataFrame, changes: pl.Series
) -> Iterator[dict[str, Any]]:
    whole = np.zeros(months.height)
    yield _row("all", months, reports, whole)
    yield _row("not_rejected", months, reports.filter(~pl.col("is_rejected")), whole)
    yield _row("duplicates_folded", months, reports.filter(~pl.col("is_repeated")), whole)
    if len(changes):
        periods = changes.search_sorted(months["month"], side="right")
        yield _row("within_periods", months, reports, periods.to_numpy())


def _row(
    variant: str,
    months: pl.DataFrame,
    reports: pl.DataFrame,
    strata: Any,  # noqa: ANN401
) -> dict[str, Any]:
    counts = reports.group_by("month").agg(
        performance=pl.col("is_performance").sum().cast(pl.Int64), total=pl.len().cast(pl.Int64)
    )
    counted = months.join(counts, on="month", how="left").sort("month").fill_null(0)
    performance, total = counted["performance"].to_numpy(), counted["total"].to_numpy()
    found, others = int(performance.sum()), int(total.sum() - performance.sum())
    row = {
        "variant": variant,
        "periods": len(np.unique(strata)),
        "reports": found + others,
        "performance": found,
        "percent": 100 * found / (found + others) if found + others else None,
    }
    reason = too_few("test", REGRESSION, found, others, PARTS["opened"])
    if reason is not None:
        return row | {"is_too_few": True, "result": reason}
    fit = binomial_regression(performance, total, counted["years"].to_numpy(), strata)
    change = trend_change(fit)
    said = NO_TREND if change is None else f"the odds of a performance bug change by {change}"
    return row | {
        "is_too_few": False,
        "odds_ratio_per_year": finite(fit.odds_ratio),
        "odds_ratio_low": finite(fit.low),
        "odds_ratio_high": finite(fit.high),
        "p_value": finite(fit.pvalue),
        "result": said,
    }
