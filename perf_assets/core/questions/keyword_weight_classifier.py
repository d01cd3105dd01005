"""The study's classifier of questions, by the words that the questions of a kind use most."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from perf_assets.core.questions.classifier_assumptions import ALPHAS, MARGIN, Variant
from perf_assets.core.questions.scoring import Flags, Floats, macro_f1, stratified_folds
from perf_assets.core.questions.words import Counts, Wordlists, words_of

INNER_FOLDS = 5
SEED = 1


@dataclass(frozen=True)
class KeywordWeights:
    """What was learned: the weight of each word in each kind, and how much keywords add.

    words : words by kinds; those of a kind add up to 1, or their squares do.
    keywords : words by kinds, 1 for a keyword of the kind.
    """

    variant: Variant
    words: Floats
    keywords: Floats
    alpha: float

    def scores(self, counts: Counts) -> Floats:
        """Return questions by kinds: the sum of the weights of the words that a question has."""
        plain, extra = _parts(self.variant, counts, self.words, self.keywords)
        return plain + self.alpha * extra

    def decide(self, scores: Floats) -> Flags:
        """Return the kinds of each question: the one of the highest score, or all that share it."""
        return decide(scores, self.variant.near)


def learn_keyword_weights(
    counts: Counts,
    truth: Flags,
    keywords: Floats,
    variant: Variant,
    alpha: float | None = None,
) -> KeywordWeights:
    """Return the classifier, learned from the ``counts`` of words of questions whose kinds are
    known.

    Parameters
    ----------
    truth : questions by kinds.
    keywords : as :func:`keyword_table` gives them.
    alpha : what keywords add; ``None`` takes that of the variant, or finds it by cross-validation
        within these questions.

    Notes
    -----
    The weight of word i in kind c is its frequency in the questions of c over that of all words:

        w(i, c) = tf(i, c) / (sum of tf(j, c) over the words j of c)

    Where the variant cuts the words of a kind, they are those that its questions use most often, of
    words that are as often there the first by the alphabet. A question's score in c is the sum of
    w(i, c) over its words, plus alpha for each keyword of c.

    References
    ----------
    Zhang, T., Gao, C., Ma, L., Lyu, M. and Kim, M. (2019). An empirical study of common challenges
    in developing deep learning applications. ISSRE 2019.
    """
    if not variant.has_keywords:
        alpha = 0.0
    elif alpha is None:
        alpha = variant.alpha
    if alpha is None:
        alpha = _best_alpha(counts, truth, keywords, variant)
    words = _word_weights(counts, truth, variant)
    return KeywordWeights(variant, words, _counted(keywords, words, variant), alpha)


def keyword_table(
    vocabulary: Sequence[str], kinds: Sequence[str], lists: Wordlists, variant: Variant
) -> Floats:
    """Words by kinds: 1 where the word is a keyword of the kind, read as texts are."""
    table = np.zeros((len(vocabulary), len(kinds)))
    row_by_word = {word: row for row, word in enumerate(vocabulary)}
    for column, kind in enumerate(kinds):
        for word in keywords_of(kind, lists, variant):
            if word in row_by_word:
                table[row_by_word[word], column] = 1.0
    return table


def keywords_of(kind: str, lists: Wordlists, variant: Variant) -> list[str]:
    """Return the keywords of ``kind``, read as texts are; stop words among them stay."""
    return [
        word
        for keyword in lists.keywords.get(kind, ())
        for word in words_of(keyword, variant, frozenset())
    ]


def decide(scores: Floats, near: float = 1.0) -> Flags:
    """For each question the kinds with at least ``near`` of its highest score; none for none."""
    highest = scores.max(axis=1, initial=0.0, keepdims=True)
    decided: Flags = (scores >= highest * near * (1 - MARGIN)) & (scores > 0)
    return decided


def frequencies_of(counts: Counts, truth: Flags) -> Floats:
    """Words by kinds: how often the questions of the kind have the word, each occurrence."""
    # The counts are whole numbers: their sums do not depend on any order.
    return np.asarray(counts.T @ truth.astype(np.float64))


def _word_weights(counts: Counts, truth: Flags, variant: Variant) -> Floats:
    frequencies = frequencies_of(counts, truth)
    if variant.words is not None:
        for kind in range(frequencies.shape[1]):
            seldom = np.argsort(-frequencies[:, kind], kind="stable")[variant.words :]
            frequencies[seldom, kind] = 0.0
    total = np.linalg.norm(frequencies, axis=0) if variant.is_euclidean else frequencies.sum(axis=0)
    weights: Floats = frequencies / np.where(total > 0, total, 1.0)
    return weights


def _counted(keywords: Floats, words: Floats, variant: Variant) -> Floats:
    return keywords if variant.has_foreign_keywords else keywords * (words > 0)


def _parts(
    variant: Variant, counts: Counts, words: Floats, keywords: Floats
) -> tuple[Floats, Floats]:
    """Scores without keywords, and how many keywords of each kind a question has."""
    present = counts.sign()
    return (
        np.asarray((counts if variant.counts_each else present) @ words),
        np.asarray(present @ keywords),
    )


def _best_alpha(counts: Counts, truth: Flags, keywords: Floats, variant: Variant) -> float:
    decided = {alpha: np.zeros_like(truth) for alpha in ALPHAS}
    for learning, testing in stratified_folds(truth, INNER_FOLDS, SEED):
        words = _word_weights(counts[learning], truth[learning], variant)
        counted = _counted(keywords, words, variant)
        plain, extra = _parts(variant, counts[testing], words, counted)
        for alpha, predicted in decided.items():
            predicted[testing] = decide(plain + alpha * extra, variant.near)
    return max(ALPHAS, key=lambda alpha: (round(macro_f1(truth, decided[alpha]), 12), -alpha))
