"""Questions that people labelled: what a classifier learns from, and is tested by."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import polars as pl

from perf_assets.core.analyses.group_samples import groups_of
from perf_assets.core.questions.classifier_assumptions import (
    DEFAULTS,
    FEWEST_KINDS,
    FEWEST_PER_KIND,
    KINDS,
    Method,
    Variant,
)
from perf_assets.core.questions.keyword_weight_classifier import (
    KeywordWeights,
    keyword_table,
    keywords_of,
    learn_keyword_weights,
)
from perf_assets.core.questions.regression import Regression, learn_regression
from perf_assets.core.questions.scoring import Flags, Floats, Indices, folds_in_time, macro_f1
from perf_assets.core.questions.words import (
    Counts,
    Wordlists,
    count_words,
    question_words,
    vocabulary_of,
)

Model: TypeAlias = KeywordWeights | Regression


@dataclass(frozen=True)
class Examples:
    """The classified questions of a forum, in order of time.

    questions : question_id, title, text, code.
    given_kinds : the kinds that people gave each, in order.
    kinds : those of which there are enough to learn from.
    truth : questions by these kinds.
    """

    forum: str
    questions: pl.DataFrame
    given_kinds: tuple[tuple[str, ...], ...]
    kinds: tuple[str, ...]
    truth: Flags

    @property
    def are_enough(self) -> bool:
        """Return whether there are kinds to distinguish."""
        return len(self.kinds) >= FEWEST_KINDS


def examples_of(labelled: pl.DataFrame) -> Iterator[Examples]:
    """Yield the examples of each forum, in order of their names.

    Parameters
    ----------
    labelled : ``staging.labelled_questions``: forum, question_id, kind, asked_at, title, text,
        code.
    """
    for (forum,), rows in groups_of(labelled, "forum"):
        numbers = dict(rows.group_by("kind").len().iter_rows())
        kinds = tuple(kind for kind in KINDS if numbers.get(kind, 0) >= FEWEST_PER_KIND)
        questions = (
            rows.group_by("question_id", "asked_at", "title", "text", "code")
            .agg("kind")
            .sort("asked_at", "question_id")
        )
        given_kinds = tuple(tuple(sorted(of)) for of in questions["kind"].to_list())
        truth = np.array([[kind in of for kind in kinds] for of in given_kinds], dtype=bool)
        truth = truth.reshape(questions.height, len(kinds))
        yield Examples(forum, questions.drop("kind", "asked_at"), given_kinds, kinds, truth)


@dataclass(frozen=True)
class Reader:
    """Turns questions into counts of the words that the examples have, as a variant reads them."""

    variant: Variant
    lists: Wordlists
    vocabulary: list[str]
    counts: Counts
    examples: Examples

    @classmethod
    def of(cls, examples: Examples, lists: Wordlists, variant: Variant) -> "Reader":
        """Return the reader for ``examples``, whose words are counted."""
        words = question_words(examples.questions, variant, lists.stop_words)
        keywords = [word for kind in examples.kinds for word in keywords_of(kind, lists, variant)]
        vocabulary = vocabulary_of(words, keywords)
        counts = count_words(words, vocabulary)
        return cls(variant, lists, vocabulary, counts, examples)

    def count(self, questions: pl.DataFrame) -> Counts:
        """Return the words of other questions."""
        words = question_words(questions, self.variant, self.lists.stop_words)
        return count_words(words, self.vocabulary)

    def learn(self, indices: Indices | None = None) -> Model:
        """Return the classifier, learned from the examples at ``indices``, or from all."""
        counts, truth = self.counts, self.examples.truth
        if indices is not None:
            counts, truth = counts[indices], truth[indices]
        if self.variant.method == "regression":
            return learn_regression(counts, truth, self.variant)
        keywords = keyword_table(self.vocabulary, self.examples.kinds, self.lists, self.variant)
        return learn_keyword_weights(counts, truth, keywords, self.variant)

    def score(self, folds: Iterable[tuple[Indices, Indices]]) -> list["Scored"]:
        """Return the scores of the examples that each fold tests, learned from its others."""
        models = ((testing, self.learn(learning)) for learning, testing in folds)
        return [Scored(test, model, model.scores(self.counts[test])) for test, model in models]


@dataclass(frozen=True)
class Scored:
    """The scores of the examples at ``indices`` by a model that did not learn from them."""

    indices: Indices
    model: Model
    scores: Floats

    def decided(self, variant: Variant) -> Flags:
        """Return the kinds by the rule of ``variant``, the only difference to that of the model."""
        return replace(self.model, variant=variant).decide(self.scores)


def decided_of(scored: Sequence[Scored], variant: Variant) -> tuple[Indices, Flags]:
    """Return the examples that were tested, fold by fold, and what is decided of each."""
    indices = np.concatenate([part.indices for part in scored])
    return indices, np.concatenate([part.decided(variant) for part in scored])


def f1_in_time(examples: Examples, lists: Wordlists) -> dict[Method, float]:
    """Return the macro F1 of each method, in order of time: the criterion by which one is chosen.

    A study that is kept alive classifies the questions of next month by those of the past.
    """
    f1: dict[Method, float] = {}
    for method, variant in DEFAULTS.items():
        scored = Reader.of(examples, lists, variant).score(folds_in_time(len(examples.truth)))
        indices, decided = decided_of(scored, variant)
        f1[method] = macro_f1(examples.truth[indices], decided)
    return f1
