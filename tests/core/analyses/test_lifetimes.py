"""Lifetimes of performance bugs against those of others."""

import polars as pl

from perf_assets.core.analyses.lifetimes import lifetime_comparisons
from perf_assets.core.statistics.samples import cliffs_delta, mann_whitney_u

MERGE = {
    "analysed_files": None,
    "methods_changed": None,
    "changed_methods": None,
    "not_analysed": "a merge",
    "removed_lines": None,
    "not_traced": "a merge",
}


def test_lives_are_compared_with_what_is_left_out_beside_them() -> None:
    outcomes = ["introduced", "only adds", "no candidate", "not traced"]
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
    lives = pl.DataFrame(
        rows,
        schema={
            "repository": pl.String,
            "is_performance": pl.Boolean,
            "outcome": pl.String,
            "lifetime_days": pl.Float64,
            "longest_lifetime_days": pl.Float64,
        },
        orient="row",
    ).with_columns(dataset=pl.lit("live"))
    found = lifetime_comparisons(lives)
    assert found["repository"].to_list() == ["owner/a"] * 2 + ["owner/b"] * 2 + ["pooled"] * 2
    assert found["introducer"].to_list() == ["latest", "earliest"] * 3
    pooled = found.row(4, named=True)
    expected = mann_whitney_u([10.0, 30.0], [1.0, 2.0, 3.0, 4.0])
    assert (pooled["introduced_performance"], pooled["introduced_other"]) == (2, 4)
    assert (pooled["only_adds_performance"], pooled["not_traced_other"]) == (1, 2)
    assert (pooled["median_performance"], pooled["median_other"]) == (20.0, 2.5)
    assert (pooled["statistic"], pooled["p_value"]) == (expected.statistic, expected.pvalue)
    assert pooled["cliffs_delta"] == cliffs_delta([10.0, 30.0], [1.0, 2.0, 3.0, 4.0]) == 1.0
    assert found.row(5, named=True)["median_performance"] == 40.0
    alone = found.row(2, named=True)
    assert (alone["introduced_performance"], alone["median_performance"]) == (0, None)
    assert alone["p_value"] is alone["magnitude"] is None
