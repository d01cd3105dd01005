"""Lifetimes of performance bugs against those of others."""

import polars as pl
import pytest

from perf_assets.core.analyses.lifetimes import lifetime_comparisons
from perf_assets.core.statistics.samples import cliffs_delta, mann_whitney_u
from perf_assets.storage.audit.auditing import audit

SCHEMA = {
    "repository": pl.String,
    "is_performance": pl.Boolean,
    "outcome": pl.String,
    "lifetime_days": pl.Float64,
    "longest_lifetime_days": pl.Float64,
}


def bugs(rows: list[tuple[str, bool, str, float | None, float | None]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=SCHEMA, orient="row").with_columns(dataset=pl.lit("live"))


@pytest.mark.usefixtures("without_minimum")
def test_lives_are_compared_with_what_is_left_out_beside_them() -> None:
    outcomes = ["introduced", "only_adds", "no_candidate", "not_traced"]
    rows = [
        (f"owner/{name}", is_performance, outcome, days, days and 2 * days)
        for name, is_performance, lives in (
            ("a", True, [10.0, 30.0]),
            ("a", False, [1.0, 2.0, 3.0]),
            ("b", False, [4.0]),
        )
        for outcome in outcomes
        for days in (lives if outcome == "introduced" else [None])
    ]
    lives = bugs(rows)
    found = lifetime_comparisons(lives)
    assert found["repository"].to_list() == ["owner/a"] * 2 + ["owner/b"] * 2 + ["pooled"] * 2
    assert found["introducer"].to_list() == ["latest", "earliest"] * 3
    assert found["role"].to_list() == ["result", "sensitivity"] * 3
    pooled = found.row(4, named=True)
    # The repository with one kind alone tells nothing of the difference.
    expected = mann_whitney_u([10.0, 30.0], [1.0, 2.0, 3.0])
    assert (pooled["introduced_performance"], pooled["introduced_other"]) == (2, 4)
    assert (pooled["only_adds_performance"], pooled["not_traced_other"]) == (1, 2)
    assert (pooled["median_days_performance"], pooled["median_days_other"]) == (20.0, 2.5)
    assert (pooled["statistic"], pooled["p_value"]) == (expected.statistic, expected.pvalue)
    assert pooled["cliffs_delta"] == cliffs_delta([10.0, 30.0], [1.0, 2.0, 3.0]) == 1.0
    assert found.row(5, named=True)["median_days_performance"] == 40.0
    alone = found.row(2, named=True)
    assert (alone["introduced_performance"], alone["median_days_performance"]) == (0, None)
    assert alone["p_value"] is alone["magnitude"] is None


@pytest.mark.slow
def test_kinds_that_are_never_of_one_repository_are_not_compared_without_an_error() -> None:
    rows = [
        ("owner/a", True, "introduced", 1.0, 2.0),
        ("owner/b", False, "introduced", 4.0, 5.0),
    ]
    found = lifetime_comparisons(bugs(rows))
    pooled = found.row(-1, named=True)
    assert (pooled["introduced_performance"], pooled["introduced_other"]) == (1, 1)
    assert pooled["cliffs_delta"] is pooled["p_value"] is None
    assert audit("analysis.lifetime_comparisons", found, {}).ok


def test_what_nobody_looked_at_is_counted_as_that_and_not_as_zero() -> None:
    unseen = ("owner/a", True, "not_looked_at", None, None)
    other = ("owner/a", False, "only_adds", None, None)
    row = lifetime_comparisons(bugs([unseen, unseen, other])).row(0, named=True)
    counted = ("introduced", "only_adds", "no_candidate", "not_traced", "not_looked_at")
    assert [row[f"{name}_performance"] for name in counted] == [None, None, None, None, 2]
    assert [row[f"{name}_other"] for name in counted] == [0, 1, 0, 0, 0]
    seen = ("owner/a", True, "introduced", 1.0, 2.0)
    row = lifetime_comparisons(bugs([unseen, seen, other])).row(0, named=True)
    assert [row[f"{name}_performance"] for name in counted] == [1, 0, 0, 0, 1]
    row = lifetime_comparisons(bugs([other])).row(0, named=True)
    assert [row[f"{name}_performance"] for name in counted] == [0, 0, 0, 0, 0]
