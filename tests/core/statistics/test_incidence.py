"""Cumulative incidence and its test, against statsmodels, a textbook, and permuted groups."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.duration.survfunc import CumIncidenceRight, survdiff

from perf_assets.core.statistics.incidence import Waits, cumulative_incidence, gray_test
from perf_assets.core.statistics.survival import Durations, kaplan_meier_shares
from tests.effort import examples
from tests.freireich_1963 import PLACEBO, TREATED

cases = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 2)), min_size=1, max_size=40)


def waits(rows, watched=40):
    days = np.array([day for day, _ in rows], dtype=float)
    ends = np.array([end for _, end in rows], dtype=np.int64)
    return Waits(days, ends, np.where(ends == 0, days, watched).astype(float))


def random_waits(seed, n=300):
    random = np.random.default_rng(seed)
    wait, end = random.exponential(10, n).round() + 1, random.choice([1, 2], n)
    watched = random.uniform(5, 40, n).round()
    return Waits(np.minimum(wait, watched), np.where(wait <= watched, end, 0), watched)


def of_one_end(group):
    days = np.array(group.durations, dtype=float)
    return Waits(days, np.array(group.is_event, dtype=np.int64), days)


@pytest.mark.parametrize("seed", range(6))
def test_shares_and_their_errors_are_those_of_statsmodels(seed):
    group = random_waits(seed)
    expected = CumIncidenceRight(group.days, group.ends)
    for found in cumulative_incidence(group, [3, 8, 15, 25]):
        last = np.searchsorted(expected.times, found.time, side="right") - 1
        share, error = expected.cinc[0][last], expected.cinc_se[0][last]
        assert found.share == pytest.approx(share)
        # From both limits the error can be had again, as they are even on the scale they are of.
        scale = share * abs(np.log(share))
        reach = np.log(np.log(found.low) / np.log(found.high)) / 2
        assert reach * scale / 1.959964 == pytest.approx(error, rel=0.02)


@given(cases)
def test_without_other_ends_it_is_one_less_the_survival(rows):
    known = [(day, min(end, 1)) for day, end in rows]
    own = Durations([float(day) for day, _ in known], [bool(end) for _, end in known])
    times = [0, 5, 12, 29]
    for found, share in zip(
        cumulative_incidence(waits(known), times), kaplan_meier_shares(own, times), strict=True
    ):
        if share is None:
            assert found.share is None
        else:
            assert found.share == pytest.approx(share)


@given(cases)
def test_the_shares_of_all_ends_add_up_and_rise(rows):
    other = [(day, {1: 2, 2: 1}.get(end, 0)) for day, end in rows]
    either = [(day, min(end, 1)) for day, end in rows]
    times = range(31)
    parts = [cumulative_incidence(waits(ends), times) for ends in (rows, other, either)]
    for one, two, both in zip(*parts, strict=True):
        assert (one.share is None) == (both.share is None)
        if one.share is not None:
            assert one.share + two.share == pytest.approx(both.share)
    shares = [found.share for found in parts[0] if found.share is not None]
    assert shares == sorted(shares)


@given(cases)
def test_limits_hold_the_share(rows):
    for found in cumulative_incidence(waits(rows), range(0, 31, 5)):
        if found.low is not None:
            assert 0 <= found.low <= found.share <= found.high <= 1


def test_without_cutting_off_it_is_the_plain_share():
    rows = [(1, 1), (2, 2), (3, 1), (5, 2), (8, 1)]
    found = cumulative_incidence(waits(rows), [0, 1, 4, 9])
    assert [one.share for one in found] == pytest.approx([0, 0.2, 0.4, 0.6])
    assert [one.n_events for one in found] == [0, 1, 2, 3]


@pytest.mark.parametrize("n", range(1, 60))
def test_no_share_is_above_one(n):
    # By hand the terms add up to 1; as floats, of every second n, to a little more.
    days = np.arange(1.0, n + 1)
    (found,) = cumulative_incidence(Waits(days, np.ones(n, int), np.full(n, 100.0)), [n])
    assert found.share == pytest.approx(1) and found.share <= 1


def test_nobody_knows_a_share_beyond_the_longest_wait():
    goes_on, over = waits([(3, 1), (9, 0)]), waits([(3, 1), (9, 2)])
    assert cumulative_incidence(goes_on, [9, 10])[0].share == 0.5
    assert cumulative_incidence(goes_on, [9, 10])[1].share is None
    assert cumulative_incidence(over, [10])[0].share == 0.5
    assert cumulative_incidence(waits([]), [1])[0].share is None


def test_without_other_ends_the_test_is_the_log_rank_test_of_the_textbook():
    found = gray_test([(of_one_end(TREATED), of_one_end(PLACEBO))])
    assert found.statistic**2 == pytest.approx(16.79, abs=0.005)
    assert found.statistic < 0
    assert found.heterogeneity_pvalue is None


@given(cases, cases)
def test_the_test_is_the_log_rank_test_of_waits_that_other_ends_leave_at_risk(x, y):
    first, second = waits(x), waits(y)
    found = gray_test([(first, second)])
    days = np.concatenate(
        [np.where(one.ends == 2, one.watched, one.days) for one in (first, second)]
    )
    is_end = np.concatenate([one.ends == 1 for one in (first, second)]).astype(int)
    if found.statistic is not None:
        group = np.repeat([0, 1], [first.n, second.n])
        assert found.statistic**2 == pytest.approx(survdiff(days, is_end, group)[0], abs=1e-8)


def test_strata_are_those_of_statsmodels_and_show_when_they_differ():
    pairs = [(random_waits(1, 90), random_waits(2, 60)), (random_waits(3, 50), random_waits(4, 80))]
    alone = [
        tuple(Waits(one.days, np.minimum(one.ends, 1), one.watched) for one in pair)
        for pair in pairs
    ]
    flat = [one for pair in alone for one in pair]
    found = gray_test(alone)
    expected = survdiff(
        np.concatenate([one.days for one in flat]),
        np.concatenate([one.ends for one in flat]),
        np.repeat([0, 1, 0, 1], [one.n for one in flat]),
        strata=np.repeat([0, 0, 1, 1], [one.n for one in flat]),
    )
    assert found.statistic**2 == pytest.approx(expected[0])
    same, turned = random_waits(5, 400), random_waits(5, 400)
    early = Waits(turned.days / 3, turned.ends, turned.watched)
    apart = gray_test([(early, same), (same, early)])
    assert apart.heterogeneity_pvalue < 1e-3
    assert gray_test([(early, same), (early, same)]).heterogeneity_pvalue > 0.99


def test_its_p_is_that_of_permuted_groups():
    group = random_waits(9, 120)
    chosen = np.arange(120) < 45
    random = np.random.default_rng(2)

    def z(is_x):
        parts = [
            Waits(group.days[here], group.ends[here], group.watched[here]) for here in (is_x, ~is_x)
        ]
        return gray_test([tuple(parts)])

    found = z(chosen)
    others = [abs(z(random.permutation(chosen)).statistic) for _ in range(2_000)]
    share = np.mean(np.array(others) >= abs(found.statistic))
    assert found.pvalue == pytest.approx(share, abs=0.04)


def test_a_competing_end_that_is_commoner_in_one_group_makes_its_share_smaller():
    # Both are fixed at the same rate while open; one is also closed otherwise.
    random = np.random.default_rng(4)
    fix, close = random.exponential(10, (2, 800)), random.exponential(10, 800)
    first = Waits(np.minimum(fix[0], close), np.where(fix[0] < close, 1, 2), np.full(800, 99.0))
    second = Waits(fix[1], np.full(800, 1), np.full(800, 99.0))
    one, two = (cumulative_incidence(group, [30])[0].share for group in (first, second))
    assert one < 0.55 < 0.9 < two
    assert gray_test([(first, second)]).pvalue < 1e-6


def test_empty_groups_and_groups_without_ends_are_not_tested():
    nothing, some = waits([]), waits([(3, 1), (4, 0)])
    assert gray_test([(nothing, some)]).pvalue is None
    assert gray_test([(waits([(3, 0)]), waits([(4, 2)]))]).pvalue is None
    assert gray_test([]).statistic is None


@settings(max_examples=examples(50))
@given(cases, cases)
def test_the_statistic_changes_only_its_sign_when_groups_are_swapped(x, y):
    forth, back = gray_test([(waits(x), waits(y))]), gray_test([(waits(y), waits(x))])
    if forth.statistic is None:
        assert back.statistic is None
    else:
        assert forth.statistic == pytest.approx(-back.statistic, abs=1e-9)
