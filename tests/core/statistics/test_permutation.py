"""Permutations: their counts, and when enough were drawn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from perf_assets.core.analyses.permutation_series import LEVEL, LOOKS, RISK
from perf_assets.core.statistics.permutation import is_decided, permuted_counts

RISK_OF_A_LOOK = RISK / len(LOOKS)


def sums_of(
    steps: sparse.csr_array, members: int, looks: tuple[int, ...] = ()
) -> list[NDArray[np.float64]]:
    return [sums[place] for sums, place in permuted_counts(steps, members, 50, 7, looks)]


def test_the_draws_are_the_same_whatever_the_looks() -> None:
    steps = sparse.csr_array(np.arange(40, dtype=float).reshape(10, 4))
    (whole,) = sums_of(steps, 3)
    parts = sums_of(steps, 3, (5, 20, 80))
    assert [len(part) for part in parts] == [5, 15, 30]
    assert np.array_equal(np.concatenate(parts), whole)


@pytest.mark.parametrize("cases", [1, 4, 61, 62, 63, 200])
def test_each_permutation_has_the_sums_of_members_drawn_once(cases: int) -> None:
    members = max(1, cases // 3)
    # Of the identity the sums of a permutation are its members.
    drawn = np.concatenate(sums_of(sparse.eye_array(cases, format="csr"), members))
    assert drawn.shape == (50, cases)
    assert np.all((drawn == 0) | (drawn == 1))
    assert np.all(drawn.sum(axis=1) == members)
    # Draws that come again are counted each time: about as often as by chance.
    if cases == 4:
        assert np.all(drawn.sum(axis=0) > 3)


@given(st.integers(1, 5_000), st.floats(0, 1), st.floats(1e-9, 0.01))
def test_what_is_decided_is_read_as_the_estimate_is(
    permutations: int, share: float, risk: float
) -> None:
    rising = round(share * permutations)
    tails = (rising, permutations - rising)
    if is_decided(tails, permutations, LEVEL, risk):
        estimate = 2 * (min(tails) + 1) / (permutations + 1)
        assert (estimate <= LEVEL) == (2 * min(tails) / permutations < LEVEL)
    else:
        # Somebody who asks for less certainty stops no later.
        assert not is_decided(tails, permutations, LEVEL, risk / 10)


@pytest.mark.parametrize(
    ("rising", "decided"),
    [(0, True), (8, True), (24, False), (25, False), (26, False), (60, True), (500, True)],
)
def test_after_999_permutations_what_is_near_the_level_goes_on(rising: int, decided: bool) -> None:
    assert is_decided((rising, 999 - rising), 999, LEVEL, RISK_OF_A_LOOK) is decided
    assert is_decided((999 - rising, rising), 999, LEVEL, RISK_OF_A_LOOK) is decided


def test_an_early_reading_is_wrong_in_one_of_a_thousand_tests_at_most() -> None:
    """A tail exactly at the level is the worst case: any early reading of it is one too many."""
    random = np.random.default_rng(11)
    tests = 40_000
    steps = np.diff([0, *LOOKS])
    rising = np.cumsum(random.binomial(steps, LEVEL / 2, size=(tests, len(LOOKS))), axis=1)
    early = np.zeros(tests, dtype=bool)
    for look, tails in zip(LOOKS, rising.T, strict=True):
        decided = [
            int(tail)
            for tail in np.unique(tails)
            if is_decided((int(tail), look - int(tail)), look, LEVEL, RISK_OF_A_LOOK)
        ]
        early |= np.isin(tails, decided)
    assert early.sum() <= RISK * tests
