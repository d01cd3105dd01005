"""Trend tests: their series, their permutations, and how often they are wrong."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perf_assets.core.analyses import permutation_series as paths_module
from perf_assets.core.analyses import trends
from perf_assets.core.analyses.permutation_series import (
    FLOWS,
    SERIES,
    null_distribution,
    permutation_test,
)
from perf_assets.core.analyses.trends import HEADLINES, trend_tests
from perf_assets.core.statistics.samples import cox_stuart
from perf_assets.core.statistics.trend import binomial_regression, cochran_armitage
from perf_assets.schema import schema_of
from tests.bug_histories import Bug, generated, issue_history, month, paths_of, trend_monthly
from tests.effort import examples

BUGS = st.lists(
    st.builds(
        lambda opened, wait, performance, fixed: Bug(
            opened, None if wait is None else opened + wait, performance, fixed and wait is not None
        ),
        st.integers(-3, 12),
        st.none() | st.integers(0, 9),
        st.booleans(),
        st.booleans(),
    ),
    max_size=25,
)


@pytest.fixture(autouse=True)
def few_permutations(monkeypatch):
    monkeypatch.setattr(trends, "PERMUTATIONS", 999)


def series_tests(bugs, months=12, **kwargs):
    return trend_tests(trend_monthly(bugs, months, **kwargs), issue_history(bugs))


def row_of(table, **wanted):
    return table.filter(**wanted).row(0, named=True)


@settings(max_examples=examples(60))
@given(BUGS, st.integers(1, 14))
def test_paths_count_what_the_monthly_series_count(bugs, n_months):
    names = [month(index) for index in range(n_months)]
    paths = paths_of(issue_history(bugs), names)
    totals, performance = paths.counts(paths.steps.sum(axis=0)), paths.performance_counts()
    counted = trend_monthly(bugs, n_months)
    for series, (of_performance, of_all) in SERIES.items():
        assert totals[series].tolist() == counted[of_all].to_list()
        assert performance[series].tolist() == counted[of_performance].to_list()


def test_each_series_has_the_test_by_which_it_is_read_and_the_papers():
    table = series_tests(generated(1), 48)
    assert table.schema == schema_of("analysis.trend_tests")
    found = {(row["series"], row["method"]) for row in table.rows(named=True)}
    wanted = {(series, method) for series, method in HEADLINES.items()}
    wanted |= {(series, "cox_stuart") for series in SERIES}
    assert found == wanted | {(series, "cochran_armitage") for series in FLOWS}
    assert set(table["repository"]) == {"a/a"}


def test_the_papers_test_is_that_of_the_shares_and_says_how_often_it_errs():
    bugs = generated(2)
    series = trend_monthly(bugs, 48)
    row = row_of(series_tests(bugs, 48), series="open", method="cox_stuart")
    share = [100 * a / b for a, b in series.select("open_performance", "open_total").iter_rows()]
    test = cox_stuart(share, "increasing")
    assert (row["n_pairs"], row["n_positive"], row["p_value"]) == (
        test.n_pairs,
        test.n_positive,
        test.pvalue,
    )
    assert 0.2 < row["false_alarm_share"] < 0.5
    assert f"{100 * row['false_alarm_share']:.1f} %" in row["result"]


def test_tests_of_the_flow_err_about_as_often_as_they_say():
    table = series_tests(generated(3), 48).filter(pl.col("series") == "opened")
    shares = dict(table.select("method", "false_alarm_share").iter_rows())
    assert all(0.02 < share < 0.08 for share in shares.values())
    assert set(shares) == {"cox_stuart", "binomial_regression", "cochran_armitage"}


def test_the_flow_is_tested_as_the_statistics_say():
    bugs = generated(4, more_by_year=1.5)
    series = trend_monthly(bugs, 48)
    table = series_tests(bugs, 48)
    successes, totals = (series[name].to_numpy() for name in SERIES["opened"])
    years = np.arange(48) / 12
    fit = binomial_regression(successes, totals, years)
    row = row_of(table, series="opened", method="binomial_regression")
    assert row["odds_ratio_per_year"] == pytest.approx(float(fit.odds_ratio))
    limits = row["odds_ratio_low"], row["odds_ratio_high"]
    assert limits == pytest.approx((float(fit.low), float(fit.high)))
    assert row["odds_ratio_low"] < 1.5 < row["odds_ratio_high"]
    z, p = cochran_armitage(successes, totals, years)
    other = row_of(table, series="opened", method="cochran_armitage")
    assert (other["statistic"], other["p_value"]) == pytest.approx((float(z), float(p)))


@pytest.mark.slow
def test_a_permutation_p_is_the_share_of_permuted_labels_with_as_steep_a_slope():
    bugs = generated(5, months=20, by_month=6)
    history, names = issue_history(bugs), [month(index) for index in range(20)]
    paths = paths_of(history, names)
    found = permutation_test(paths, "open", 999)
    # The same by hand: the labels of the bugs permuted, and all counted again.
    random = np.random.default_rng(8)
    labels = np.array([bug.is_performance for bug in bugs])
    as_steep = 0
    for _ in range(400):
        random.shuffle(labels)
        other = [
            bug._replace(is_performance=bool(own)) for bug, own in zip(bugs, labels, strict=True)
        ]
        as_steep += slope_of(trend_monthly(other, 20)) >= found.slope
    assert found.slope == pytest.approx(slope_of(trend_monthly(bugs, 20)))
    share = min(as_steep, 400 - as_steep) / 400
    assert found.p_value == pytest.approx(2 * share, abs=0.12)
    assert found.p_value >= 1 / 1000


@pytest.mark.usefixtures("without_minimum")
@pytest.mark.parametrize("seed", range(8))
def test_a_test_that_stops_early_reads_as_with_all_permutations(seed, monkeypatch):
    bugs = generated(seed, months=24, by_month=5)
    paths = paths_of(issue_history(bugs), [month(index) for index in range(24)])
    stopped = null_distribution(paths, 9_999)
    monkeypatch.setattr(paths_module, "LOOKS", ())
    whole = null_distribution(paths, 9_999)
    assert stopped.permutations <= whole.permutations == 9_999
    for series in ("open", "fixed"):
        drawn = stopped.slopes[series]
        assert np.allclose(drawn, whole.slopes[series][: len(drawn)], equal_nan=True)
        early, late = (permutation_test(paths, series, 9_999, one) for one in (stopped, whole))
        assert (early.p_value <= 0.05) == (late.p_value <= 0.05)
        error = 4 * np.sqrt(2 * late.p_value / stopped.permutations)
        assert early.p_value == pytest.approx(late.p_value, abs=error)


def slope_of(series):
    """The weighted least-squares slope of the open share, in points a year."""
    counts, totals = (series[name].to_numpy().astype(float) for name in SERIES["open"])
    share = np.where(totals > 0, 100 * counts / np.maximum(totals, 1), 0)
    return np.polyfit(np.arange(len(totals)) / 12, share, 1, w=np.sqrt(totals))[0]


def test_the_same_data_give_the_same_table():
    bugs = generated(6, months=24)
    assert series_tests(bugs, 24).equals(series_tests(bugs, 24))


def test_a_label_that_came_late_is_not_a_trend_of_the_permuted_series():
    # The same reports all the time; half of them got their label in the second year.
    bugs = [Bug(index, None, is_performance=index % 2 == 0) for index in range(24)]
    history = issue_history(bugs)
    late = history.with_columns(is_performance=pl.lit(value=False), until_month=pl.lit(month(23)))
    now = history.with_columns(month=pl.lit(month(23)))
    found = paths_of(
        pl.concat([late.filter(pl.col("month") < month(23)), now]), [month(p) for p in range(24)]
    )
    assert found.is_performance.tolist() == [bug.is_performance for bug in bugs]
    assert found.performance_counts()["open"].tolist() == [1 + index // 2 for index in range(24)]


def test_several_repositories_have_pooled_flows_in_which_each_keeps_its_level():
    # No trend in either, but one has more performance bugs and more months later on.
    rare, common = generated(7, share=0.05), generated(8, share=0.4, by_month=60)
    monthly = pl.concat(
        [
            trend_monthly(rare, 48),
            trend_monthly(common, 48, repository="b/b").filter(pl.col("month") >= month(24)),
        ]
    )
    history = pl.concat([issue_history(rare), issue_history(common, "b/b")])
    table = trend_tests(monthly, history)
    pooled = table.filter(repository="pooled")
    assert set(pooled["series"]) == set(FLOWS)
    row = row_of(pooled, series="opened", method="binomial_regression")
    assert row["odds_ratio_low"] < 1 < row["odds_ratio_high"]
    assert row["n"] == 72
    assert 0 < row["heterogeneity_p_value"] <= 1
    assert row["false_alarm_share"] is None
    assert (
        table.filter(pl.col("repository") != "pooled")["heterogeneity_p_value"].null_count() == 20
    )


def test_incomplete_months_do_not_enter():
    bugs = generated(9, months=30)
    whole = trend_tests(trend_monthly(bugs, 24), issue_history(bugs))
    longer = trend_monthly(bugs, 30).with_columns(is_complete=pl.col("month") < month(24))
    assert trend_tests(longer.reverse(), issue_history(bugs).reverse()).equals(whole)


@pytest.mark.parametrize(
    "bugs",
    [
        [],
        [Bug(0)],
        [Bug(index, is_performance=True) for index in range(12)],
        [Bug(index) for index in range(12)],
    ],
)
def test_series_without_two_kinds_are_not_series_tests(bugs):
    table = series_tests(bugs).filter(pl.col("method") != "cox_stuart")
    assert table["p_value"].null_count() == table.height
    assert table["is_too_few"].all()
    assert table["result"].str.starts_with("too few to test: ").all()


def test_a_repository_without_complete_months_has_rows_without_figures():
    series = trend_monthly([Bug(0), Bug(0, is_performance=True)], 3)
    table = trend_tests(series.with_columns(is_complete=pl.lit(value=False)), issue_history([]))
    assert table["n"].to_list() == [0] * 10
    assert table["p_value"].null_count() == 10


def test_nothing_gives_an_empty_table():
    table = trend_tests(trend_monthly([], 0), issue_history([]))
    assert (table.height, table.schema) == (0, schema_of("analysis.trend_tests"))
