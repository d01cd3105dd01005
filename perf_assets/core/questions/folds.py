"""Which questions a classifier learns from, and which it is tested by."""

from collections.abc import Iterator
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Indices: TypeAlias = NDArray[np.int64]

BLOCKS = 5
"""The later half of the questions, in order of time, in so many blocks."""


def stratified_folds(
    truth: NDArray[np.bool_], folds: int, seed: int
) -> Iterator[tuple[Indices, Indices]]:
    """Pairs of places of questions, to learn from and to be tested by; each is tested once.

    The questions of a kind are dealt to the folds in turn, in an order that ``seed`` shuffles; one
    of several kinds goes with the rarest of them, one of none with others of none.
    """
    shuffled = np.random.default_rng(seed).permutation(len(truth))
    by_rarity = np.argsort(truth.sum(axis=0), kind="stable")
    # The rarest of a question's kinds, as its index in that order; the number of kinds for none.
    ranked = truth[:, by_rarity]
    stratum = np.where(ranked.any(axis=1), ranked.argmax(axis=1), truth.shape[1])
    dealt = shuffled[np.argsort(stratum[shuffled], kind="stable")]
    fold_of = np.empty(len(truth), dtype=np.int64)
    fold_of[dealt] = np.arange(len(truth)) % folds
    for fold in range(folds):
        yield np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)


def folds_in_time(n: int, blocks: int = BLOCKS) -> Iterator[tuple[Indices, Indices]]:
    """Yield the same for ``n`` questions in order of time: each is tested by those before it.

    The later half is tested, in ``blocks`` of equal size, each by what is learned from all before.
    """
    edges = np.linspace(n // 2, n, blocks + 1).astype(np.int64)
    for first, last in pairwise(edges.tolist()):
        if first and last > first:
            yield np.arange(first), np.arange(first, last)
