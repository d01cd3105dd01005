"""The kinds of each question of a forum, labelled by people or by the better method.

And the weights of words by kind: what the study's classifier learned. Two people of the study chose
the keywords of each kind from its 200 most frequent words, which are here the candidates for those
of one's own study.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from perf_assets.core.questions.classifier_assumptions import (
    DEFAULTS,
    KINDS,
    PEOPLE,
    WORDS_PER_KIND,
    KindMethod,
    Method,
)
from perf_assets.core.questions.examples import Examples, Model, Reader, f1_in_time
from perf_assets.core.questions.keyword_weight_classifier import (
    KeywordWeights,
    frequencies_of,
    keywords_of,
)
from perf_assets.core.questions.scoring import Flags, Floats
from perf_assets.core.questions.words import Wordlists, words_of, written_forms
from perf_assets.schema import schema_of

TABLE = "labels.question_kinds"
WEIGHTS_TABLE = "labels.question_word_weights"
STUDYS: Method = "weights"  # the classifier whose weights are kept, whichever decides
AT_ONCE = 5_000  # questions whose words are held in memory


@dataclass(frozen=True)
class Classified:
    """The kinds of the questions of a forum.

    rows : of ``labels.question_kinds``.
    weights : of ``labels.question_word_weights``.
    method : which decided of those that no person did.
    f1 : the macro F1 of each method in order of time, where they were compared.
    """

    rows: pl.DataFrame
    weights: pl.DataFrame
    method: Method
    f1: Mapping[Method, float]


def classify(
    questions: pl.DataFrame,
    examples: Examples,
    lists: Wordlists,
    kind_method: KindMethod = "better",
) -> Classified:
    """Decide of which kinds the questions of a forum are.

    Parameters
    ----------
    questions : all of them: question_id, title, text, code.
    examples : those that people classified, enough of them.
    kind_method : which method decides; where both are equally good the study's does.

    Returns
    -------
    Seven rows for each question that a person classified, and one for each kind that was learned
    for the others, ordered by question and kind. The same questions and examples give the same
    rows, whatever their order.
    """
    f1: dict[Method, float] = {}
    method: Method
    if kind_method == "better":
        f1 = f1_in_time(examples, lists)
        method = max(f1, key=lambda name: (f1[name], name == "weights"))
    else:
        method = kind_method
    readers = {name: Reader.of(examples, lists, DEFAULTS[name]) for name in {method, STUDYS}}
    models = {name: reader.learn() for name, reader in readers.items()}
    reader, model = readers[method], models[method]
    others = questions.join(examples.questions, on="question_id", how="anti").sort("question_id")
    learned = [
        pl.lit(method).alias("method"),
        pl.lit(_version(method, examples, model, lists)).alias("model_version"),
    ]
    by_people = np.array(
        [[kind in of for kind in KINDS] for of in examples.given_kinds], dtype=bool
    )
    labelled = _long(examples.questions, KINDS, by_people.astype(np.float64), by_people)
    rows = [labelled.with_columns(method=pl.lit(PEOPLE), model_version=pl.lit(PEOPLE))]
    for part in others.iter_slices(AT_ONCE):
        scores = model.scores(reader.count(part))
        decided = _long(part, examples.kinds, scores, model.decide(scores))
        rows.append(decided.with_columns(learned))
    schema = schema_of(TABLE)
    return Classified(
        pl.concat(rows)
        .with_columns(forum=pl.lit(examples.forum))
        .select(pl.col(name).cast(kind) for name, kind in schema.items())
        .sort("question_id", "kind"),
        word_weights(
            readers[STUDYS], models[STUDYS], _version(STUDYS, examples, models[STUDYS], lists)
        ),
        method,
        f1,
    )


def _long(
    questions: pl.DataFrame, kinds: tuple[str, ...], scores: Floats, decided: Flags
) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "question_id": questions["question_id"].to_numpy().repeat(len(kinds)),
            "kind": list(kinds) * questions.height,
            "kind_score": scores.ravel(),
            "is_assigned": decided.ravel(),
        }
    )


def _version(method: Method, examples: Examples, model: Model, lists: Wordlists) -> str:
    """Return the method, its set of keywords, and a digest of both and of the examples."""
    name: str = method
    parts = [repr(DEFAULTS[method]), repr(examples.kinds), repr(examples.given_kinds)]
    parts += [repr(row) for row in examples.questions.iter_rows()]
    if isinstance(model, KeywordWeights):
        parts += [repr(model.alpha), repr(sorted(lists.keywords.items()))]
        name = f"{method}-{lists.keyword_set}"
    return f"{name}-{hashlib.sha256(chr(10).join(parts).encode()).hexdigest()[:8]}"


def word_weights(reader: Reader, model: Model, version: str) -> pl.DataFrame:
    """Return the most frequent words of each kind and its keywords, with their weights.

    Parameters
    ----------
    reader, model : of the classifier by weights, learned from all examples.
    version : what the labels have as ``model_version`` of it.

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
        for row in _weight_rows(reader, model)
    ]
    return pl.DataFrame(rows, schema=schema_of(WEIGHTS_TABLE), orient="row")


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


def _weight_rows(reader: Reader, model: KeywordWeights) -> Iterator[tuple[object, ...]]:
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
