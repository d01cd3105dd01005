"""The kinds of each question of a forum, labelled by people or by the better method."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from perf_assets.core.questions.classifier_assumptions import (
    DEFAULTS,
    KINDS,
    PEOPLE,
    KindMethod,
    Method,
)
from perf_assets.core.questions.examples import Examples, Model, Reader, f1_in_time
from perf_assets.core.questions.keyword_weight_classifier import KeywordWeights
from perf_assets.core.questions.scoring import Flags, Floats
from perf_assets.core.questions.word_weights import word_weights
from perf_assets.core.questions.words import Wordlists
from perf_assets.schema import schema_of

TABLE = "labels.question_kinds"
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
    questions
        All of them: question_id, title, text, code.
    examples
        Those that people classified, enough of them.
    kind_method
        Which method decides; where both are equally good the study's does.

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
