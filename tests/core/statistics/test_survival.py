"""Kaplan-Meier medians and shares against a textbook example and statsmodels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.duration.survfunc import SurvfuncRight

from perf_assets.core.statistics.survival import (
    Durations,
    kaplan_meier_median,
    kaplan_meier_shares,
)
from tests.freireich_1963 import PLACEBO, TREATED

cases = st.lists(st.tuples(st.integers(0, 30), st.booleans()), min_size=1, max_size=40)


def durations(rows):
    return Durations([float(days) for days, _ in rows], [is_event for _, is_event in rows])


def test_remission_medians_are_those_of_the_textbook():
    treated, placebo = kaplan_meier_median(TREATED), kaplan_meier_median(PLACEBO)
    assert (treated.n, treated.n_events, treated.median) == (21, 9, 23)
    assert (placebo.n, placebo.n_events, placebo.median) == (21, 21, 8)


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


def test_groups_in_which_nobody_reached_the_event_have_no_median():
    waiting = Durations([3.0, 5.0], [False, False])
    assert kaplan_meier_median(waiting).median is None
    assert kaplan_meier_median(Durations([], [])).median is None


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
