"""Below the least number of events an analysis has counts and a reason; from it on, figures."""

from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perf_assets.core.analyses import label_sensitivity as labels_module
from perf_assets.core.analyses import trends
from perf_assets.core.analyses.bots import DISCUSSED, bot_sensitivity
from perf_assets.core.analyses.closing import COEFFICIENTS, closing_rates, open_share_changes
from perf_assets.core.analyses.effects import effect_sizes, group_comparisons
from perf_assets.core.analyses.group_samples import METRICS
from perf_assets.core.analyses.incidence import fix_curves, fix_incidence
from perf_assets.core.analyses.label_sensitivity import RULES, label_sensitivity
from perf_assets.core.analyses.lifetimes import lifetime_comparisons
from perf_assets.core.analyses.link_sensitivity import link_sensitivity
from perf_assets.core.analyses.permutation_series import FLOWS, SERIES
from perf_assets.core.analyses.trends import trend_tests
from perf_assets.core.statistics.minimum_events import (
    APART,
    COMPARISON,
    CURVE,
    PAIRS,
    REGRESSION,
)
from perf_assets.schema import schema_of
from tests.bug_histories import (
    LINKS_SCHEMA,
    Bug,
    bug_metrics,
    bug_reports,
    fixes,
    issue_history,
    moment,
    trend_monthly,
)
from tests.effort import examples

Row = dict[str, Any]

SIZES = st.integers(0, 8)
FIGURES = ("statistic", "p_value", "cliffs_delta", "magnitude")
NO_FAMILY = pl.DataFrame(schema=schema_of("analysis.adjusted_tests"))


@pytest.fixture(autouse=True)
def few_permutations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trends, "PERMUTATIONS", 99)
    monkeypatch.setattr(labels_module, "PERMUTATIONS", 99)


def around(minimum: int) -> st.SearchStrategy[int]:
    return st.sampled_from([0, 1, minimum - 1, minimum, minimum + 1])


def fixed(performance: int, other: int) -> list[Bug]:
    """Bugs that were fixed in the month of their report."""
    return [Bug(0, 0, index < performance, is_fixed=True) for index in range(performance + other)]


def assert_figures(row: Row, names: tuple[str, ...], *, is_few: bool) -> None:
    """All figures of those names where there are enough events, and none where there are not."""
    assert row["is_too_few"] == is_few, row
    assert {row[name] is None for name in names} == {is_few}, row
    if "too_few_reason" in row:
        assert (row["too_few_reason"] is not None) == is_few
    if "result" in row:
        assert ("too few" in row["result"]) == is_few, row["result"]


def assert_counts(reason: str, performance: int, other: int, minimum: int) -> None:
    """The reason says how many there are, and how many it takes."""
    assert f": {performance} performance bug" in reason
    assert f" and {other} other" in reason
    assert f"at least {minimum} of each" in reason


@settings(max_examples=examples(25))
@given(SIZES, SIZES)
def test_values_are_compared_from_six_of_each_group_on(performance: int, other: int) -> None:
    metrics = bug_metrics(fixed(performance, other))
    is_few = min(performance, other) < COMPARISON
    figures = (*FIGURES, "p_value_clustered", "power")
    for row in group_comparisons(metrics, fixes()).rows(named=True):
        assert_figures(row, figures, is_few=is_few)
        assert (row["median_performance"] is None) == (performance < COMPARISON)
        assert (row["median_other"] is None) == (other < COMPARISON)
        if is_few:
            assert_counts(row["too_few_reason"], performance, other, COMPARISON)
    sizes = ("cliffs_delta", "cliffs_delta_low", "cliffs_delta_high", "p_value", "power")
    for row in effect_sizes(metrics, fixes(), NO_FAMILY).rows(named=True):
        assert_figures(row, sizes, is_few=is_few)


@settings(max_examples=examples(15))
@given(st.integers(1, 8))
def test_fixes_that_share_a_commit_are_one_event(commits: int) -> None:
    metrics = bug_metrics(fixed(16, 8))
    shared = fixes(*((number, f"commit {number % commits}") for number in range(1, 17)))
    for row in group_comparisons(metrics, shared).rows(named=True):
        is_few = METRICS[row["metric"]] == "fixed" and commits < COMPARISON
        assert_figures(row, FIGURES, is_few=is_few)
        if is_few:
            assert_counts(row["too_few_reason"], commits, 8, COMPARISON)


@pytest.mark.parametrize("function", [group_comparisons, fix_incidence])
def test_repositories_of_one_kind_each_cannot_be_compared_together(function: Any) -> None:
    ours, theirs = fixed(9, 0), fixed(0, 9)
    metrics = pl.concat([bug_metrics(ours), bug_metrics(theirs, "b/b")])
    months = [trend_monthly(ours, 3), trend_monthly(theirs, 3, repository="b/b")]
    beside = fixes() if function is group_comparisons else pl.concat(months)
    pooled = function(metrics, beside).filter(repository="pooled")
    reason = "too_few_reason" if function is group_comparisons else "result"
    assert set(pooled["is_too_few"]) == {True}
    assert set(pooled[reason]) == {APART}
    assert pooled["p_value"].null_count() == pooled.height


@settings(max_examples=examples(25))
@given(SIZES, SIZES)
def test_lives_are_compared_from_six_of_each_group_on(performance: int, other: int) -> None:
    rows = [
        ("live", "a/a", index < performance, "introduced", float(index), 2.0 * index)
        for index in range(performance + other)
    ]
    columns = ("dataset", "repository", "is_performance", "outcome", "lifetime_days")
    schema = dict.fromkeys(columns, pl.String)
    schema |= {"is_performance": pl.Boolean}
    schema |= dict.fromkeys(("lifetime_days", "longest_lifetime_days"), pl.Float64)
    table = lifetime_comparisons(pl.DataFrame(rows, schema=schema, orient="row"))
    assert table.height == (4 if rows else 0)
    for row in table.rows(named=True):
        assert_figures(row, FIGURES, is_few=min(performance, other) < COMPARISON)
        assert (row["median_days_performance"] is None) == (performance < COMPARISON)
        assert (row["median_days_other"] is None) == (other < COMPARISON)


@settings(max_examples=examples(15))
@given(SIZES, SIZES)
def test_bots_are_left_out_and_counted_from_six_of_each_group_on(
    performance: int, other: int
) -> None:
    metrics = bug_metrics(fixed(performance, other)).with_columns(
        pl.col(DISCUSSED).name.suffix("_with_bots"), has_author_types=True
    )
    for row in bot_sensitivity(metrics).rows(named=True):
        assert_figures(row, FIGURES, is_few=min(performance, other) < COMPARISON)


@settings(max_examples=examples(15))
@given(SIZES, SIZES)
def test_links_are_left_out_from_six_of_each_group_on(performance: int, other: int) -> None:
    bugs = fixed(performance, other)
    rows = [
        ("live", "a/a", number, f"{number}", bug.is_performance, moment(0), moment(0, 10 + number))
        for number, bug in enumerate(bugs, 1)
    ]
    rows = [(*row, size, 0, []) for size, row in enumerate(rows, 1)]
    table = link_sensitivity(pl.DataFrame(rows, schema=LINKS_SCHEMA, orient="row"))
    for row in table.rows(named=True):
        assert_figures(row, FIGURES, is_few=min(performance, other) < COMPARISON)


@settings(max_examples=examples(25))
@given(SIZES, SIZES)
def test_curves_are_drawn_from_five_ends_on_and_compared_from_five_of_each_group_on(
    performance: int, other: int
) -> None:
    waiting = [Bug(0, None, is_performance=kind) for kind in (True, False)]
    bugs = [*fixed(performance, other), *waiting]
    metrics, trend = bug_metrics(bugs), trend_monthly(bugs, 3)
    for row in fix_incidence(metrics, trend).filter(days=30).rows(named=True):
        ends = (0, 0) if row["event"] == "closed_without_fix" else (performance, other)
        assert_figures(row, ("statistic", "p_value", "power"), is_few=min(ends) < CURVE)
        for name, own in zip(("performance", "other"), ends, strict=True):
            assert row[f"events_{name}"] == own
            assert (row[f"percent_{name}"] is None) == (own < CURVE)
        if min(ends) < CURVE:
            assert_counts(row["result"], *ends, CURVE)
    drawn = set(fix_curves(metrics, trend).select("event", "is_performance").iter_rows())
    assert drawn == {
        ("fixed", kind) for kind, own in ((True, performance), (False, other)) if own >= CURVE
    }


def reports(performance: int, other: int) -> list[Bug]:
    """Bugs of a year, one kind later than the other on the average; fixed a month later."""
    opened = [index % 11 for index in range(performance)]
    opened += [index * index % 11 for index in range(other)]
    return [
        Bug(month, month + 1, index < performance, is_fixed=True)
        for index, month in enumerate(opened)
    ]


@settings(max_examples=examples(12))
@given(around(REGRESSION), around(REGRESSION))
def test_series_are_tested_from_ten_bugs_of_each_group_on(performance: int, other: int) -> None:
    bugs = reports(performance, other)
    is_few = min(performance, other) < REGRESSION
    table = trend_tests(trend_monthly(bugs, 12), issue_history(bugs))
    assert set(table["series"]) == set(SERIES)
    for row in table.rows(named=True):
        names = ("p_value", "statistic")
        if row["method"] == "binomial_regression":
            names = (*names, "odds_ratio_per_year", "odds_ratio_low", "odds_ratio_high", "power")
        is_short = row["method"] == "cox_stuart" and row["n_pairs"] < PAIRS
        assert_figures(row, names, is_few=is_few or is_short)
        if is_few:
            assert_counts(row["result"], performance, other, REGRESSION)
    changes = open_share_changes(trend_monthly(bugs, 12), issue_history(bugs))
    names = ("slope", "slope_from_reports", "slope_from_closing")
    for row in changes.rows(named=True):
        assert_figures(row, names, is_few=is_few)


@settings(max_examples=examples(12))
@given(around(COEFFICIENTS * REGRESSION), around(COEFFICIENTS * REGRESSION))
def test_rates_of_closing_are_compared_from_twenty_closes_of_each_group_on(
    performance: int, other: int
) -> None:
    bugs = reports(performance, other)
    is_few = min(performance, other) < COEFFICIENTS * REGRESSION
    for row in closing_rates(bug_metrics(bugs), trend_monthly(bugs, 12)).rows(named=True):
        names = ("rate_ratio_per_year", "p_value", "dispersion")
        if row["kind"] == "performance_against_other":
            names = (*names, "rate_ratio", "rate_ratio_low", "rate_ratio_p_value", "power")
        assert_figures(row, names, is_few=is_few)
        if row["closes"] is not None:
            assert row["closes"] == (performance if row["kind"] == "performance" else other)


@settings(max_examples=examples(5))
@given(around(COMPARISON) | around(REGRESSION), around(REGRESSION))
def test_by_every_rule_of_labels_the_least_numbers_are_the_same(
    performance: int, other: int
) -> None:
    bugs = reports(performance, other)
    table = label_sensitivity(
        bug_reports(bugs), bug_metrics(bugs), fixes(), trend_monthly(bugs, 12), issue_history(bugs)
    )
    assert set(table["label_rule"]) == (set(RULES) if performance else set())
    least = dict.fromkeys(METRICS, COMPARISON) | dict.fromkeys(SERIES, REGRESSION)
    least |= {"fixed_within_365_days": CURVE, "slope_from_closing": REGRESSION, "share": 0}
    for row in table.rows(named=True):
        is_few = min(performance, other) < least[row["result_of"]]
        names: tuple[str, ...] = () if row["result_of"] == "share" else ("p_value",)
        if row["result_of"] in (*METRICS, *FLOWS, "slope_from_closing"):
            names = (*names, "effect")
        assert row["is_too_few"] == is_few, row
        if is_few:
            assert row["effect"] is row["effect_low"] is row["p_value"] is None
        elif row["result_of"] != "slope_from_closing":  # all are closed alike: no variance
            assert None not in [row[name] for name in names], row
