"""Monthly counts of one group of cases, when its members are drawn anew among all of them.

And when enough was drawn: a test that is far from its level needs few permutations.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, stats

from perf_assets.core.statistics.samples import Floats

_AT_ONCE = 4_000_000
"""Drawn members that are held in memory at a time."""

_BITS = 62
"""So many cases have a bit each in a number that distinguishes draws."""

_FEW_CASES = 500
"""So many are shuffled faster than some are drawn from them."""


def permuted_counts(
    steps: sparse.csr_array, n_members: int, permutations: int, seed: int, looks: Sequence[int] = ()
) -> Iterator[tuple[Floats, NDArray[np.int64]]]:
    """Yield the sums of the rows of randomly drawn members, some permutations at a time.

    Parameters
    ----------
    steps : shape (cases, columns): what each case adds to each column.
    n_members : how many of the cases are drawn, each at most once.
    permutations : how often.
    seed : the same draws for the same seed and numbers, whatever the looks.
    looks : numbers of permutations, rising, at each of which what was drawn until then is given.

    Yields
    ------
    Sums, shape (draws, columns), and of each permutation the index of its draw among them; all
    together ``permutations`` indices. Of few cases a draw comes often, and is there once.
    """
    n_cases = steps.shape[0]
    random = np.random.default_rng(seed)
    some = max(1, min(permutations, _AT_ONCE // max(n_members, 1)))
    ends = [0, *(look for look in looks if look < permutations), permutations]
    for first, last in pairwise(ends):
        for start in range(first, last, some):
            number = min(some, last - start)
            drawn = _draw(random, n_cases, n_members, number).reshape(number, n_members)
            chosen, index = _distinct(drawn, n_cases)
            bounds = np.arange(len(chosen) + 1, dtype=np.int64) * n_members
            ones = np.ones(chosen.size, dtype=np.float64)
            members = sparse.csr_array((ones, chosen.ravel(), bounds), (len(chosen), n_cases))
            sums: Floats = (members @ steps).toarray()
            yield sums, index


def is_decided(tails: tuple[int, int], permutations: int, level: float, risk: float) -> bool:
    """Return whether more permutations would not change on which side of ``level`` the p-value
    lies.

    Parameters
    ----------
    tails : of the permutations, how many are at least as large as what was observed, and how many
        at most as large. The p-value is twice the smaller share.
    risk : with what probability, at most, it lies on the other side if this says that it is
        decided.

    Notes
    -----
    Each tail is compared with half of ``level`` by the exact binomial test, at half of ``risk``.

    References
    ----------
    Besag, J. and Clifford, P. (1991). Sequential Monte Carlo p-values. Biometrika 78, 301-304.
    Gandy, A. (2009). Sequential implementation of Monte Carlo tests with uniformly bounded
    resampling risk. Journal of the American Statistical Association 104, 1504-1511.
    """
    counts = np.array(tails)
    is_below = stats.binom.cdf(counts, permutations, level / 2) <= risk / 2
    is_above = stats.binom.sf(counts - 1, permutations, level / 2) <= risk / 2
    return bool(is_below.any() or is_above.all())


def _distinct(
    drawn: NDArray[np.int64], n_cases: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the draws that differ, and the index among them of each; of many cases all of them."""
    if n_cases > _BITS:
        return drawn, np.arange(len(drawn))
    _, first, index = np.unique(np.sum(1 << drawn, axis=1), return_index=True, return_inverse=True)
    return drawn[first], index


def _draw(
    random: np.random.Generator, n_cases: int, n_members: int, number: int
) -> NDArray[np.int64]:
    """Return the members of so many permutations, one after the other."""
    if n_cases <= _FEW_CASES:
        cases = np.broadcast_to(np.arange(n_cases), (number, n_cases))
        return random.permuted(cases, axis=1)[:, :n_members].ravel()
    return np.concatenate(
        [random.choice(n_cases, n_members, replace=False, shuffle=False) for _ in range(number)]
    )
