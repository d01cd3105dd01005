"""The weights of words by kind: what the study's classifier learned, and from what to choose more.

Two people of the study chose the keywords of each kind from its 200 most frequent words. These
words are the candidates for the keywords of one's own study.
"""

from collections.abc import Iterator

import numpy as np
import polars as pl

from perf_assets.core.questions.classifier_assumptions import WORDS_PER_KIND
from perf_assets.core.questions.examples import Model, Reader
from perf_assets.core.questions.keyword_weight_classifier import (
    KeywordWeights,
    frequencies_of,
    keywords_of,
)
from perf_assets.core.questions.words import Wordlists, words_of, written_forms
from perf_assets.schema import schema_of

TABLE = "labels.question_word_weights"


def word_weights(reader: Reader, model: Model, version: str) -> pl.DataFrame:
    """Return the most frequent words of each kind and its keywords, with their weights.

    Parameters
    ----------
    reader, model
        Of the classifier by weights, learned from all examples.
    version
        What the labels have as ``model_version`` of it.

    Returns
    -------
    ``labels.question_word_weights``: for each kind that is learned the
    :data:`~perf_assets.core.questions.classifier_assumptions.WORDS_PER_KIND` words that its
    examples have most often (of words that are as often there the first by the alphabet), and those
    keywords that are none of them, without a rank.
    """
    assert isinstance(model, KeywordWeights)
    rows = [
        (reader.examples.forum, *row, reader.lists.keyword_set, model.alpha, version)
        for row in _rows(reader, model)
    ]
    return pl.DataFrame(rows, schema=schema_of(TABLE), orient="row")


def lists_of(forum: str, packaged: Wordlists, weights: pl.DataFrame) -> Wordlists:
    """Return the lists that classify the questions of ``forum``, from its table of weights."""
    rows = weights.filter(forum=forum)
    if rows.is_empty():
        return packaged
    keywords = rows.select("kind", "keywords").explode("keywords").drop_nulls()
    by_kind = {
        str(kind): tuple(part["keywords"].sort())
        for (kind,), part in keywords.partition_by("kind", as_dict=True).items()
    }
    return Wordlists(packaged.stop_words, by_kind, rows["keyword_set"][0])


def _rows(reader: Reader, model: KeywordWeights) -> Iterator[tuple[object, ...]]:
    examples, variant = reader.examples, reader.variant
    forms = written_forms(examples.questions, variant, reader.lists.stop_words)
    frequencies = frequencies_of(reader.counts, examples.truth)
    having = frequencies_of(reader.counts.sign(), examples.truth)
    for place, kind in enumerate(examples.kinds):
        given = _keywords_by_word(kind, reader)
        often = np.argsort(-frequencies[:, place], kind="stable")[:WORDS_PER_KIND]
        ranked = [index for index in often.tolist() if frequencies[index, place]]
        indices = {reader.vocabulary[index]: index for index in ranked}
        further = sorted(given.keys() - indices.keys())
        for rank, word in enumerate([*indices, *further], 1):
            index = indices[word] if word in indices else reader.vocabulary.index(word)
            yield (
                kind,
                word,
                forms.get(word) or given[word][0],
                rank if word in indices else None,
                int(having[index, place]),
                int(frequencies[index, place]),
                float(model.words[index, place]),
                given.get(word, []),
            )


def _keywords_by_word(kind: str, reader: Reader) -> dict[str, list[str]]:
    """Return the keywords of ``kind`` by the word as which the classifier reads them."""
    found: dict[str, list[str]] = {}
    for keyword in sorted(set(reader.lists.keywords.get(kind, ()))):
        for word in words_of(keyword, reader.variant, frozenset()):
            found.setdefault(word, []).append(keyword)
    assert found.keys() == set(keywords_of(kind, reader.lists, reader.variant))
    return found
