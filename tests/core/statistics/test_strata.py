"""Comparisons within strata and of clustered values, against permutation and known cases."""

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy import stats

from perf_assets.core.statistics.samples import cliffs_delta, mann_whitney_u
from perf_assets.core.statistics.strata import (
    Stratum,
    compare_strata,
    design_effect,
    linked_clusters,
)
from tests.cliffs_delta import cliffs_delta_interval
from tests.effort import examples

SIZES_THAT_ROUND = [(1, 9), (1, 3), (2, 1), (1, 3), (3, 4)]
"""Of groups that do not overlap: the mean of their deltas rounds to more than 1."""
values = st.lists(st.integers(0, 9).map(float), min_size=1, max_size=15)
pairs = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=20)


def stratum(x, y, clusters=None):
    n = len(x) + len(y)
    index = np.arange(n) if clusters is None else np.asarray(clusters)
    return Stratum(np.asarray(x, float), np.asarray(y, float), index[: len(x)], index[len(x) :])


@given(values, values)
def test_one_stratum_is_the_test_of_mann_and_whitney(x, y):
    is_constant = len(set(x)) == 1 or len(set(y)) == 1
    assume(not is_constant or max(x) < min(y) or max(y) < min(x))
    found = compare_strata([stratum(x, y)])
    test, interval = mann_whitney_u(x, y), cliffs_delta_interval(x, y)
    assert (found.method, found.statistic) == ("mann_whitney_u", test.statistic)
    assert found.pvalue == found.pvalue_clustered == test.pvalue
    assert (found.delta, found.low, found.high) == (interval.statistic, interval.low, interval.high)
    assert found.heterogeneity_pvalue is None


def test_a_group_of_equal_values_has_an_interval_that_goes_with_the_test():
    x, y = [1.0] * 265, [1.0] * 5180 + [0.0] * 68
    found = compare_strata([stratum(x, y)])
    assert found.pvalue > 0.05
    assert found.low < 0 < found.delta < found.high


@pytest.mark.slow
@settings(max_examples=examples(200))
@given(
    st.lists(
        st.tuples(st.lists(st.integers(0, 3).map(float), max_size=9), values),
        min_size=2,
        max_size=30,
    )
)
@example([([9.0] * x, [0.0] * y) for x, y in SIZES_THAT_ROUND])
@example([([0.0] * x, [9.0] * y) for x, y in SIZES_THAT_ROUND])
def test_results_lie_where_they_can_lie_however_they_are_rounded(groups):
    found = compare_strata([stratum(x, y) for x, y in groups])
    if found.delta is not None:
        assert -1 <= found.delta <= 1
        assert found.low is None or -1 <= found.low <= found.delta <= found.high <= 1
        for one in (found.pvalue, found.pvalue_clustered, found.heterogeneity_pvalue):
            assert one is None or 0 <= one <= 1


@settings(max_examples=examples(50))
@given(values, values)
def test_a_stratum_twice_has_the_z_of_one_times_root_two(x, y):
    one = stratum(x, y)
    found = compare_strata([one, one])
    z = stats.mannwhitneyu(x, y, method="asymptotic", use_continuity=False).pvalue
    assert found.method == "van_elteren"
    assert found.delta == pytest.approx(cliffs_delta(x, y))
    if len({*x, *y}) == 1:
        assert (found.statistic, found.pvalue) == (0, 1)
    else:
        assert abs(found.statistic) == pytest.approx(np.sqrt(2) * stats.norm.isf(z / 2), abs=1e-6)


@pytest.mark.slow
def test_the_test_of_van_elteren_is_that_of_values_permuted_within_strata():
    random = np.random.default_rng(0)
    x = [random.integers(0, 9, n) for n in (12, 30)]
    y = [random.integers(index, 9 + index, n) for index, n in enumerate((25, 18))]
    found = compare_strata([stratum(a, b) for a, b in zip(x, y, strict=True)])

    def score(parts):
        whole = 0.0
        for part, n in parts:
            ranks = stats.rankdata(part)
            whole += (ranks[:n].sum() - n * (len(part) + 1) / 2) / (len(part) + 1)
        return whole

    both = [(np.concatenate(pair), len(pair[0])) for pair in zip(x, y, strict=True)]
    others = [score([(random.permutation(part), n) for part, n in both]) for _ in range(5_000)]
    assert found.statistic == pytest.approx(score(both) / np.std(others), rel=0.03)


def test_what_differs_between_strata_alone_is_not_a_difference():
    # Pooled, x is larger, as most of it is of the stratum with the large values.
    random = np.random.default_rng(3)
    small, large = random.normal(0, 1, 220), random.normal(5, 1, 220)
    strata = [stratum(small[:20], small[20:]), stratum(large[:200], large[200:])]
    pooled = mann_whitney_u([*small[:20], *large[:200]], [*small[20:], *large[200:]])
    assert pooled.pvalue < 1e-9
    assert compare_strata(strata).pvalue > 0.05


def test_differences_that_go_apart_are_distinguished_from_differences_that_do_not():
    low, high = np.arange(40.0), np.arange(40.0) + 15
    apart = compare_strata([stratum(high, low), stratum(low, high)])
    assert apart.heterogeneity_pvalue < 1e-6
    assert apart.delta == pytest.approx(0)
    together = compare_strata([stratum(high, low), stratum(high, low)])
    assert together.heterogeneity_pvalue > 0.99
    assert together.low < together.delta < together.high


def test_a_stratum_without_one_of_the_groups_shows_nothing():
    whole = stratum([1, 2, 3], [2, 4, 5])
    with_half = compare_strata([whole, stratum([9, 9], [])])
    alone = compare_strata([whole])
    assert (with_half.pvalue, with_half.delta) == (alone.pvalue, alone.delta)
    assert with_half.n_x == 5
    nothing = compare_strata([stratum([1], []), stratum([], [])])
    assert (nothing.statistic, nothing.pvalue, nothing.delta) == (None, None, None)


# Clusters


@given(pairs)
def test_clusters_are_what_a_chain_of_shared_ends_joins(links):
    found = linked_clusters([left for left, _ in links], [right for _, right in links]).tolist()
    joined = {index: {index} for index in range(len(links))}
    for first, (left, right) in enumerate(links):
        for second, (other_left, other_right) in enumerate(links):
            if left == other_left or right == other_right:
                union = joined[first] | joined[second]
                for index in union:
                    joined[index] = union
    for first in range(len(links)):
        for second in range(len(links)):
            assert (found[first] == found[second]) == (second in joined[first])


def test_each_value_counted_several_times_counts_once():
    # The same fixes three times over, as if each had been linked to three bugs.
    random = np.random.default_rng(5)
    x, y = random.normal(0.5, 1, 30), random.normal(0, 1, 40)
    once = stratum(x, y)
    cluster = np.arange(70)
    thrice = stratum(
        np.repeat(x, 3),
        np.repeat(y, 3),
        np.concatenate([np.repeat(cluster[:30], 3), np.repeat(cluster[30:], 3)]),
    )
    assert design_effect(thrice) == pytest.approx(3, rel=0.05)
    alone, found = compare_strata([once]), compare_strata([thrice])
    assert found.delta == pytest.approx(alone.delta)
    assert (found.low, found.high) == pytest.approx((alone.low, alone.high), abs=0.03)
    assert found.pvalue < alone.pvalue
    assert found.pvalue_clustered == pytest.approx(alone.pvalue, rel=0.15)
    assert found.clusters == 70


def test_clusters_of_values_that_have_nothing_in_common_change_little():
    random = np.random.default_rng(6)
    x, y = random.normal(0, 1, 200), random.normal(0, 1, 200)
    cluster = np.concatenate([np.arange(200) // 2, 500 + np.arange(200) // 2])
    assert 1 <= design_effect(stratum(x, y, cluster)) < 1.25


def test_the_interval_of_clustered_values_holds_the_truth_as_often_as_it_says():
    random = np.random.default_rng(7)
    held = 0
    for _ in range(300):
        shared = random.normal(0, 1, (40, 1)) + random.normal(0, 0.3, (40, 3))
        x, y = shared[:20].ravel(), shared[20:].ravel()
        found = compare_strata([stratum(x, y, np.repeat(np.arange(40), 3))])
        held += found.low <= 0 <= found.high
    assert 0.90 <= held / 300 <= 0.99
