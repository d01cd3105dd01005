"""The least numbers of events: what each is the least for, and the sentence below it."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from perf_assets.core.statistics.incidence import Waits, cumulative_incidence
from perf_assets.core.statistics.minimum_events import COMPARISON, CURVE, PAIRS, too_few

NUMBERS = st.integers(0, 3_000)


def test_the_range_of_as_many_values_as_are_compared_is_an_interval_for_the_median() -> None:
    def confidence(n: int) -> float:
        """That of two values of n one is below the median, and one above."""
        return 1 - 2 * float(stats.binom.pmf(0, n, 0.5))

    assert confidence(COMPARISON - 1) < 0.95 <= confidence(COMPARISON)


def test_as_many_pairs_as_are_tested_can_show_a_rise() -> None:
    p = [stats.binomtest(n, n, alternative="greater").pvalue for n in (PAIRS - 1, PAIRS)]
    assert p[0] == 1 / 16 > 0.05 >= p[1]


def test_one_event_moves_a_curve_by_a_fifth_at_most() -> None:
    days = np.arange(1.0, 1 + CURVE)
    waits = Waits(days, np.ones(CURVE, dtype=np.int64), days)
    shares = [found.share for found in cumulative_incidence(waits, [0.0, *days])]
    assert np.diff(np.array(shares)) == pytest.approx(np.full(CURVE, 0.2))


@given(NUMBERS, NUMBERS, st.integers(1, 20))
def test_the_smaller_group_decides_and_the_reason_has_both_numbers(
    performance: int, other: int, minimum: int
) -> None:
    reason = too_few("compare", minimum, performance, other, "fixed")
    assert (reason is None) == (performance >= minimum and other >= minimum)
    if reason is not None:
        numbers = [int(one.replace(",", "")) for one in re.findall(r"[\d,]*\d", reason)]
        assert numbers == [performance, other, minimum]


@pytest.mark.parametrize(
    ("performance", "other", "words"),
    [
        (0, 1, "0 performance bugs and 1 other opened"),
        (1, 0, "1 performance bug and 0 others opened"),
        (2, 1234, "2 performance bugs and 1,234 others opened"),
    ],
)
def test_the_reason_counts_in_english(performance: int, other: int, words: str) -> None:
    assert too_few("test", 10, performance, other, "opened") == (
        f"too few to test: {words}, at least 10 of each are needed"
    )
