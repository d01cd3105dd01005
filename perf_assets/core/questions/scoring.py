"""How classifiers of questions are tested: folds, precision, recall and F1, and their intervals."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Flags: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

BLOCKS = 5
"""The later half of the questions, in order of time, in so many blocks."""

MEASURES = ("precision", "recall", "f1")
REPLICATES = 1_000
SEED = 2


@dataclass(frozen=True)
class Estimate:
    """A measure with its confidence limits; None where there is nothing to measure."""

    value: float | None
    low: float | None
    high: float | None


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


def measured(truth: Flags, decided: Flags, weights: Floats | None = None) -> Floats:
    """Precision, recall and F1 of each kind and, last, their means over the kinds (macro).

    Parameters
    ----------
    truth, decided : questions by kinds.
    weights : samples by questions: how often each question is in each sample; each once by default.

    Returns
    -------
    Samples by kinds (and macro) by measures. A kind that was never decided has precision 0; one
    that is neither there nor decided has no measures (NaN), and is left out of the means.

    References
    ----------
    Sebastiani, F. (2002). Machine learning in automated text categorization. ACM Computing Surveys
    34, 1-47.
    """
    samples = np.ones((1, len(truth))) if weights is None else weights
    hit, predicted, actual = (
        samples @ flags.astype(np.float64) for flags in (truth & decided, decided, truth)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        precision = np.where((predicted == 0) & (actual > 0), 0.0, hit / predicted)
        recall = hit / actual
        f1 = 2 * hit / (predicted + actual)
    kinds = np.stack([precision, recall, f1], axis=2)
    is_there = ~np.isnan(kinds)
    number = is_there.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        macro = np.where(is_there, kinds, 0.0).sum(axis=1) / number
    return np.concatenate([kinds, macro[:, np.newaxis, :]], axis=1)


def macro_f1(truth: Flags, decided: Flags) -> float:
    """Return the mean F1 over the kinds; 0 without any kind."""
    value = float(measured(truth, decided)[0, -1, MEASURES.index("f1")])
    return 0.0 if np.isnan(value) else value


def resampled(n: int, replicates: int = REPLICATES, seed: int = SEED) -> Floats:
    """Return how often each of ``n`` questions is in each of ``replicates`` samples of ``n``."""
    draws = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=replicates)
    return draws.astype(np.float64)


def with_limits(truth: Flags, decided: Flags, samples: Floats) -> tuple[Floats, Floats]:
    """Return the measures of all questions, and of the samples."""
    return measured(truth, decided)[0], measured(truth, decided, samples)


def estimate(value: float, samples: Floats, confidence: float) -> Estimate:
    """Return the ``value`` with the percentiles of its ``samples``, widened to hold it."""
    defined = samples[~np.isnan(samples)]
    if np.isnan(value) or not len(defined):
        return Estimate(None if np.isnan(value) else float(value), None, None)
    low, high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Estimate(float(value), float(min(low, value)), float(max(high, value)))
