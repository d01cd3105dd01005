"""Why the open share moves: more reports are told from slower closing, each planted alone."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perf_assets.core.analyses.closing import KINDS, closing_rates, open_share_changes
from perf_assets.schema import schema_of
from tests.bug_histories import Bug, bug_metrics, generated, issue_history, trend_monthly
from tests.effort import examples


def rates(bugs, months=48):
    table = closing_rates(bug_metrics(bugs), trend_monthly(bugs, months))
    assert table.schema == schema_of("analysis.closing_rates")
    return {row["kind"]: row for row in table.rows(named=True)}


def change(bugs, months=48):
    table = open_share_changes(trend_monthly(bugs, months), issue_history(bugs))
    assert table.schema == schema_of("analysis.open_share_changes")
    return table.row(0, named=True)


@pytest.mark.usefixtures("without_minimum")
@settings(max_examples=examples(40))
@given(
    st.lists(
        st.tuples(st.integers(0, 11), st.none() | st.integers(0, 9), st.booleans()),
        min_size=1,
        max_size=25,
    )
)
def test_the_parts_add_up_to_the_weighted_slope_of_the_open_share(rows):
    bugs = [
        Bug(opened, None if wait is None else opened + wait, kind) for opened, wait, kind in rows
    ]
    found = change(bugs, 12)
    series = trend_monthly(bugs, 12)
    own, total = (series[name].to_numpy() for name in ("open_performance", "open_total"))
    years = np.arange(12) / 12
    if np.sum(total > 0) < 2:
        assert found["slope"] is None
        return
    share = np.where(total > 0, 100 * own / np.maximum(total, 1), 0)
    expected = np.polyfit(years, share, 1, w=np.sqrt(total))[0]
    assert found["slope"] == pytest.approx(expected, abs=1e-6)
    parts = found["slope_from_reports"] + found["slope_from_closing"]
    assert parts == pytest.approx(found["slope"])


def test_more_reports_alone_are_not_slower_closing():
    found = change(generated(1, by_month=40, more_by_year=1.6))
    assert found["slope"] > 0
    assert found["slope_from_reports"] > 3 * abs(found["slope_from_closing"])
    assert found["p_value"] > 0.05


def test_slower_closing_alone_is_not_a_rise_in_reports():
    found = change(generated(3, by_month=100, slower=6))
    assert found["slope_from_closing"] > 3 * abs(found["slope_from_reports"])
    assert found["p_value"] < 0.001


@pytest.mark.slow
def test_bugs_that_are_closed_alike_have_about_equal_p_values():
    below = [change(generated(seed, months=24))["p_value"] < 0.2 for seed in range(60)]
    assert 3 <= sum(below) <= 22


def test_rates_show_slower_closing_of_one_kind():
    alike, slower = rates(generated(3, by_month=40)), rates(generated(3, by_month=40, slower=3))
    assert tuple(alike) == KINDS
    against = alike["performance_against_other"]
    assert against["rate_ratio_low"] < 1 < against["rate_ratio_high"]
    against = slower["performance_against_other"]
    assert against["rate_ratio_high"] < 0.8
    assert against["rate_ratio_p_value"] < 0.001


def test_rates_are_closes_by_time_open():
    bugs = [Bug(0, 2, is_performance=True), Bug(0, 3), Bug(1)]
    found = rates(bugs, 4)
    # From 6 January to 11 March, to 11 April, and from 6 February to the end of April.
    assert found["performance"]["open_years"] == pytest.approx(64 / 365.25, abs=1e-3)
    assert found["other"]["open_years"] == pytest.approx((95 + 84) / 365.25, abs=1e-3)
    assert (found["performance"]["closes"], found["other"]["closes"]) == (1, 1)
    assert found["other"]["closes_per_open_year"] == pytest.approx(365.25 / 179, rel=1e-2)


def test_a_backlog_that_grows_old_is_not_slower_closing():
    # Each report is closed in its first weeks or stays: the rate of all falls, at no age it does.
    random = np.random.default_rng(8)
    bugs = [
        Bug(month, month + 1 if random.random() < 0.6 else None, random.random() < 0.3)
        for month in range(48)
        for _ in range(40)
    ]
    first, whole = rates(bugs, 24), rates(bugs)
    for kind in KINDS[:2]:
        assert whole[kind]["closes_per_open_year"] < 0.7 * first[kind]["closes_per_open_year"]
        assert 0.88 < whole[kind]["rate_ratio_per_year"] < 1.14


@pytest.mark.parametrize("bugs", [[], [Bug(0)], [Bug(0, 1)], [Bug(0, 1, is_performance=True)]])
def test_too_few_bugs_give_no_rate_ratios(bugs):
    table = closing_rates(bug_metrics(bugs), trend_monthly(bugs, 3))
    assert table["rate_ratio_per_year"].null_count() == table.height
    assert table["is_too_few"].all()
    assert table["result"].str.starts_with("too few to compare: ").all()


@pytest.mark.usefixtures("without_minimum")
def test_an_interval_over_many_orders_is_not_reported():
    lives = [(0, 2), (1, None), (0, None), (0, None)]
    others = [Bug(*life) for life in lives]
    lives = [(2, None), (1, 3), (2, 4), (1, 2)]
    found = rates([*others, *(Bug(*life, is_performance=True) for life in lives)], 5)
    for kind in KINDS[:2]:
        assert found[kind]["rate_ratio_per_year"] is found[kind]["p_value"] is None
        assert found[kind]["result"] == "not testable: too few bug reports or closes"
    both = found["performance_against_other"]
    assert both["rate_ratio_low"] < both["rate_ratio"] < both["rate_ratio_high"]
    assert both["rate_ratio_per_year"] is None
    assert both["result"].endswith("; too few were closed to say whether this ratio changes")


def test_a_series_without_open_bugs_has_no_slope():
    found = change([Bug(0, 0), Bug(1, 1, is_performance=True)], 3)
    assert (found["slope"], found["p_value"]) == (None, None)
    nothing = open_share_changes(trend_monthly([], 0), issue_history([]))
    assert nothing.is_empty()
    one = open_share_changes(trend_monthly([Bug(0)], 1), issue_history([Bug(0)]))
    assert one.is_empty()
    assert isinstance(one, pl.DataFrame)
