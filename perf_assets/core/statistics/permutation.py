"""Monthly counts of one group of cases, when its members are drawn anew among all of them."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from perf_assets.core.statistics.samples import Floats

_AT_ONCE = 4_000_000
"""Drawn members that are held in memory at a time."""


def permuted_counts(
    steps: sparse.csr_array, n_members: int, permutations: int, seed: int
) -> Iterator[Floats]:
    """The sums of the rows of randomly drawn members, some permutations at a time.

    Parameters
    ----------
    steps
        Shape (cases, columns): what each case adds to each column.
    n_members
        How many of the cases are drawn, each at most once.
    permutations
        How often.
    seed
        The same draws for the same seed and numbers.

    Yields
    ------
    Shape (some, columns); all together ``permutations`` rows.
    """
    n_cases = steps.shape[0]
    random = np.random.default_rng(seed)
    some = max(1, min(permutations, _AT_ONCE // max(n_members, 1)))
    for start in range(0, permutations, some):
        number = min(some, permutations - start)
        drawn = np.concatenate([_draw(random, n_cases, n_members) for _ in range(number)])
        bounds = np.arange(number + 1, dtype=np.int64) * n_members
        ones = np.ones(len(drawn), dtype=np.float64)
        members = sparse.csr_array((ones, drawn, bounds), shape=(number, n_cases))
        sums: Floats = (members @ steps).toarray()
        yield sums


def _draw(random: np.random.Generator, n_cases: int, n_members: int) -> NDArray[np.int64]:
    return random.choice(n_cases, n_members, replace=False, shuffle=False)
