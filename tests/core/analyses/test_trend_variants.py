"""The trend without rejected reports, with duplicates folded, and within periods."""

from typing import Any

import numpy as np
import polars as pl
import pytest

from perf_assets.base.months import add_months
from perf_assets.core.analyses.trend_variants import trend_variants
from perf_assets.core.statistics.trend import binomial_regression
from perf_assets.schema import schema_of

REPOSITORY = "owner/name"
MONTHS = [add_months("2020-01", place) for place in range(24)]
A_MONTH = 20
STEP = [2] * 12 + [8] * 12
RISE = [1 + place // 3 for place in range(24)]


def reports_of(performance: list[int]) -> pl.DataFrame:
    """The bug reports of each month, so many of them performance bugs."""
    rows = [
        {"number": A_MONTH * place + index, "month": month, "is_performance": index < found}
        for place, (month, found) in enumerate(zip(MONTHS, performance, strict=True))
        for index in range(A_MONTH)
    ]
    live = {"dataset": "live", "repository": REPOSITORY, "is_rejected": False}
    return pl.DataFrame([{**live, **row} for row in rows])


def variants_of(
    reports: pl.DataFrame, changes: tuple[str, ...] = (), repeated: tuple[tuple[int, int], ...] = ()
) -> dict[str, dict[str, Any]]:
    months = pl.DataFrame({"month": MONTHS}).with_columns(
        dataset=pl.lit("live"), repository=pl.lit(REPOSITORY), is_complete=pl.lit(value=True)
    )
    groups = pl.DataFrame(
        [
            {"repository": REPOSITORY, "number": number, "first_number": first}
            | {"is_first": False, "group_size": 2}
            for number, first in repeated
        ],
        schema=schema_of("marts.duplicate_groups"),
    )
    instruments = pl.DataFrame({"month": list(changes)}, schema={"month": pl.String}).with_columns(
        repository=pl.lit(REPOSITORY)
    )
    found = trend_variants(reports, months, groups, instruments)
    assert found.schema == schema_of("analysis.trend_variants")
    return {row["variant"]: row for row in found.to_dicts()}


def test_all_reports_are_the_regression_over_the_months() -> None:
    found = variants_of(reports_of(RISE))["all"]
    years = np.arange(24) / 12
    expected = binomial_regression(RISE, [A_MONTH] * 24, years)
    assert found["odds_ratio_per_year"] == pytest.approx(float(expected.odds_ratio))
    assert found["p_value"] == pytest.approx(float(expected.pvalue))
    assert (found["reports"], found["performance"]) == (480, sum(RISE))


def test_a_step_of_the_labelling_is_no_trend_within_the_periods() -> None:
    found = variants_of(reports_of(STEP), changes=(MONTHS[12],))
    assert found["all"]["p_value"] < 0.001
    assert found["within_periods"]["periods"] == 2
    assert found["within_periods"]["p_value"] > 0.9


def test_a_rise_within_the_periods_is_one() -> None:
    found = variants_of(reports_of(RISE), changes=(MONTHS[6],))
    assert found["within_periods"]["p_value"] < 0.001
    assert found["within_periods"]["odds_ratio_per_year"] > 1


def test_rejected_and_repeated_reports_are_left_out() -> None:
    reports = reports_of(STEP).with_columns(
        is_rejected=pl.col("is_performance") & (pl.col("month") >= MONTHS[12])
    )
    found = variants_of(reports, repeated=((1, 0), (5, 10_000)))  # whose first is no bug report
    assert found["not_rejected"]["performance"] == 24
    assert found["not_rejected"]["p_value"] < 0.05
    assert found["duplicates_folded"]["reports"] == 479
    assert "within_periods" not in found


def test_few_performance_bugs_are_not_tested() -> None:
    found = variants_of(reports_of([0] * 24))["all"]
    assert found["is_too_few"]
    assert found["p_value"] is None
    assert found["percent"] == 0
