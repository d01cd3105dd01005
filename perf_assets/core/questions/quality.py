"""How good the classifiers of questions are, by what each variant says of questions new to it.

Statistics that the study reports in one sentence (precision and recall about 80 %), by kind, with
intervals, and for the baseline too.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from perf_assets.base.sanitize import in_words
from perf_assets.core.analyses.formatting import as_json
from perf_assets.core.analyses.group_samples import CONFIDENCE
from perf_assets.core.questions.classification import lists_of
from perf_assets.core.questions.classifier_assumptions import DEFAULTS, PEOPLE, VARIANTS, Variant
from perf_assets.core.questions.examples import Examples, Reader, Scored, decided_of, examples_of
from perf_assets.core.questions.scoring import (
    BLOCKS,
    MEASURES,
    REPLICATES,
    SEED,
    Floats,
    estimate,
    folds_in_time,
    resampled,
    stratified_folds,
    with_limits,
)
from perf_assets.core.questions.words import Wordlists
from perf_assets.schema import schema_of

MACRO = "macro"
"""Stands in the column ``kind`` for the mean over the kinds."""

FOLDS, SEED_OF_FOLDS = 5, 0
F1 = MEASURES.index("f1")

SPLITS = {
    "time_ordered": as_json(tested="later half", blocks=BLOCKS, learned_from="all before"),
    "stratified": as_json(folds=FOLDS, repeats=1),
}
"""How examples are parted into those to learn from and those to be tested by."""


def question_kind_quality(
    lists: Wordlists, labelled: pl.DataFrame, methods: pl.DataFrame, weights: pl.DataFrame
) -> pl.DataFrame:
    """Precision, recall and F1 of each variant of both classifiers, by kind and as a mean.

    Parameters
    ----------
    lists : stop words, and the packaged keywords.
    labelled : ``staging.labelled_questions``.
    methods : ``intermediate.kind_methods``: forum, method; which one fills
        ``labels.question_kinds``.
    weights : ``labels.question_word_weights``: the keywords that count in each forum.

    Returns
    -------
    ``analysis.question_kind_quality``: for each forum with enough examples, variant and split a row
    for each kind that is learned, and one for their mean. Intervals by the bootstrap over questions
    (1,000 samples, percentiles); ``f1_difference`` is that of the two default variants over the
    same samples.

    References
    ----------
    Efron, B. and Tibshirani, R. (1993). An Introduction to the Bootstrap. Chapman and Hall.
    """
    chosen = {(forum, method) for forum, method in methods.iter_rows() if method != PEOPLE}
    rows = [
        row
        for examples in examples_of(labelled)
        if examples.are_enough
        for row in _rows(examples, lists_of(examples.forum, lists, weights), chosen)
    ]
    return pl.DataFrame(rows, schema=schema_of("analysis.question_kind_quality"), orient="row")


def _rows(
    examples: Examples, lists: Wordlists, chosen: set[tuple[str, str]]
) -> Iterator[tuple[object, ...]]:
    readers = {
        variant: Reader.of(examples, lists, variant)
        for variant in dict.fromkeys(variant.learning for variant in VARIANTS)
    }
    for split, parameters in SPLITS.items():
        scored = {variant: _scored(reader, split) for variant, reader in readers.items()}
        # The same examples for each of the variants.
        samples = resampled(sum(len(part.indices) for part in scored[VARIANTS[0].learning]))
        measures = {}
        for variant in VARIANTS:
            indices, decided = decided_of(scored[variant.learning], variant)
            order = np.argsort(indices)
            truth = examples.truth[indices[order]]
            measures[variant] = with_limits(truth, decided[order], samples)
        supports = [*truth.sum(axis=0).tolist(), int(truth.sum())]
        for variant in VARIANTS:
            is_chosen = variant.name == "default" and (examples.forum, variant.method) in chosen
            for row in _measures(examples, variant, len(truth), supports, measures):
                yield (
                    *(examples.forum, variant.method, variant.name, split),
                    *row[:-1],
                    parameters,
                    variant in DEFAULTS.values(),
                    is_chosen,
                    row[-1],
                )


def _scored(reader: Reader, split: str) -> list[Scored]:
    """Return the scores of the examples that ``split`` tests."""
    truth = reader.examples.truth
    if split == "time_ordered":
        return reader.score(folds_in_time(len(truth)))
    return reader.score(stratified_folds(truth, FOLDS, SEED_OF_FOLDS))


def _measures(
    examples: Examples,
    variant: Variant,
    n: int,
    supports: Sequence[int],
    measures: dict[Variant, tuple[Floats, Floats]],
) -> Iterator[tuple[object, ...]]:
    whole, samples = measures[variant]
    for index, kind in enumerate((*examples.kinds, MACRO)):
        estimates = [
            estimate(whole[index, measure], samples[:, index, measure], CONFIDENCE)
            for measure in range(len(MEASURES))
        ]
        difference = estimate(np.nan, np.array([]), CONFIDENCE)
        other = next(default for default in DEFAULTS.values() if default.method != variant.method)
        if variant in DEFAULTS.values():
            difference = estimate(
                whole[index, F1] - measures[other][0][index, F1],
                samples[:, index, F1] - measures[other][1][:, index, F1],
                CONFIDENCE,
            )
        f1 = estimates[F1]
        text = (
            f"no question of {in_words(kind)} was tested"
            if f1.value is None
            else f"F1 {f1.value:.2f}"
        )
        if f1.low is not None and f1.high is not None:
            text += f" [{f1.low:.2f}, {f1.high:.2f}]"
        if difference.value is not None:
            text += f", {difference.value:+.2f} against {other.method}"
        if difference.low is not None and difference.high is not None:
            text += f" [{difference.low:+.2f}, {difference.high:+.2f}]"
        yield (
            kind,
            n,
            supports[index],
            *(number for entry in estimates for number in (entry.value, entry.low, entry.high)),
            *(difference.value, difference.low, difference.high),
            *(CONFIDENCE, REPLICATES, SEED),
            text,
        )
