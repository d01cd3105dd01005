"""Kaplan-Meier medians and the log-rank test against a textbook example and statsmodels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.duration.survfunc import SurvfuncRight, survdiff

from perf_assets.core.statistics.survival import (
    Durations,
    kaplan_meier_median,
    kaplan_meier_shares,
    log_rank,
)

# Freireich et al. (1963), Blood 21: weeks of remission of 42 children with leukemia, the worked
# example of Kleinbaum and Klein, Survival Analysis, chapter 2: median 23 weeks with 6-MP, 8 with
# placebo, log-rank chi-squared 16.79.
TREATED = Durations(
    [6, 6, 6, 7, 10, 13, 16, 22, 23, 6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35],
    [True] * 9 + [False] * 12,
)
PLACEBO = Durations(
    [1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23], [True] * 21
)

cases = st.lists(st.tuples(st.integers(0, 30), st.booleans()), min_size=1, max_size=40)


def durations(rows):
    return Durations([float(days) for days, _ in rows], [is_event for _, is_event in rows])


def test_remission_medians_are_those_of_the_textbook():
    treated, placebo = kaplan_meier_median(TREATED), kaplan_meier_median(PLACEBO)
    assert (treated.n, treated.n_events, treated.median) == (21, 9, 23)
    assert (placebo.n, placebo.n_events, placebo.median) == (21, 21, 8)


def test_the_log_rank_statistic_of_remissions_is_that_of_the_textbook():
    result = log_rank(TREATED, PLACEBO)
    assert result.statistic**2 == pytest.approx(16.79, abs=0.005)
    assert result.statistic < 0
    assert result.pvalue == pytest.approx(4.17e-5, rel=1e-3)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of statsmodels
@pytest.mark.parametrize("group", [TREATED, PLACEBO])
def test_limits_of_the_median_agree_with_statsmodels(group):
    survival = SurvfuncRight(group.durations, group.is_event)
    low, high = survival.quantile_ci(0.5, method="cloglog")
    result = kaplan_meier_median(group)
    assert result.low == low
    assert result.high == (None if np.isinf(high) else high)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=30))
def test_without_censoring_the_median_is_the_lower_middle_value(days):
    result = kaplan_meier_median(Durations(days, [True] * len(days)))
    assert result.median == sorted(days)[(len(days) - 1) // 2]


@given(cases)
def test_the_median_lies_within_its_limits_and_is_an_observed_event(rows):
    result = kaplan_meier_median(durations(rows))
    if result.median is None:
        assert result.high is None
    else:
        assert result.median in {days for days, is_event in rows if is_event}
        assert result.low is not None
        assert result.low <= result.median
        assert result.high is None or result.median <= result.high


@given(cases, cases)
def test_log_rank_agrees_with_statsmodels(x, y):
    result = log_rank(durations(x), durations(y))
    if result.statistic is not None:
        time, status = zip(*x, *y, strict=True)
        group = [0] * len(x) + [1] * len(y)
        assert result.statistic**2 == pytest.approx(survdiff(time, status, group)[0], abs=1e-9)


@given(cases, cases)
def test_log_rank_changes_only_its_sign_when_groups_are_swapped(x, y):
    forth, back = log_rank(durations(x), durations(y)), log_rank(durations(y), durations(x))
    if forth.statistic is None:
        assert back.statistic is None
    else:
        assert forth.statistic == pytest.approx(-back.statistic, abs=1e-9)


def test_groups_in_which_nobody_reached_the_event_have_no_median_and_no_test():
    waiting = Durations([3.0, 5.0], [False, False])
    assert kaplan_meier_median(waiting).median is None
    assert kaplan_meier_median(Durations([], [])).median is None
    assert log_rank(waiting, waiting).pvalue is None
    assert log_rank(waiting, Durations([], [])).statistic is None


def test_events_after_the_other_group_left_tell_nothing():
    assert log_rank(Durations([2.0], [True]), Durations([1.0], [False])).pvalue is None


@given(cases, st.lists(st.integers(0, 40), min_size=1, max_size=5))
def test_shares_are_one_less_the_survival_of_statsmodels(rows, times):
    known = durations(rows)
    survival = SurvfuncRight(known.durations, known.is_event)
    found = kaplan_meier_shares(known, times)
    for time, share in zip(times, found, strict=True):
        if time <= max(known.durations):
            past = [p for t, p in zip(survival.surv_times, survival.surv_prob, strict=True)]
            reached = sum(t <= time for t in survival.surv_times)
            assert share == pytest.approx(1 - past[reached - 1] if reached else 0, abs=1e-9)
        else:
            assert share is None or share == 1.0


def test_nobody_knows_a_share_beyond_the_longest_wait():
    waiting = Durations([3.0, 5.0], [False, False])
    assert kaplan_meier_shares(waiting, [5, 6]) == [0.0, None]
    assert kaplan_meier_shares(Durations([3.0, 5.0], [True, True]), [4, 6]) == [0.5, 1.0]
    assert kaplan_meier_shares(Durations([], []), [1]) == [None]
