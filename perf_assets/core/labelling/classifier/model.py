"""A trained model, and the probabilities that it gives to reports."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from perf_assets.core.labelling.classifier.features import (
    VECTOR_WEIGHT,
    WordVectors,
    lengths_of,
    places_of_reports,
    sign_names,
    sign_values,
    terms_of,
    vector_sums,
)
from perf_assets.core.labelling.vocabulary import COUNTED_KINDS, KINDS, Word

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

NONE, QUALITY = "none", "quality"
CLASSES = (NONE, *KINDS, QUALITY)
"""``quality`` is of results, such as low accuracy: older data call that performance as well."""

DIGITS = 9
"""Of a probability, after the point."""

MOST_WORDS = 8
"""Words that are named for a report."""

LEAST_LENGTH = 0.3
"""Of the vector of a word that is named: what is shorter stands in most reports."""

ROWS_AT_ONCE = 1_000


@dataclass(frozen=True)
class Model:
    """A multinomial logistic regression over signs and vectors of words.

    Attributes
    ----------
    version : names what it was trained on and how, e.g. ``3f2a9c0b``.
    words : what signs are made of.
    vectors : of words.
    weights : a row for each sign, then for each dimension of the vectors of the title and of
        the text, and last the intercepts; a column for each of CLASSES.
    slope, shifts : what turns sums of weights into logarithms of probabilities, up to a constant.
    thresholds : by the kinds that count, joined by ``+``, the least probability of a report that
        counts.
    share : the share of reports about speed or memory that it was trained with.
    description : what it was trained on, by which command, and how good it was on what it had not
        seen.
    """

    version: str
    words: Mapping[str, Word]
    vectors: WordVectors
    weights: "Floats"
    slope: float
    shifts: tuple[float, ...]
    thresholds: Mapping[str, float]
    share: float
    description: Mapping[str, Any]


def score(model: Model, reports: pl.DataFrame, *, explained: bool = True) -> pl.DataFrame:
    """Return the probability of each kind for each report, and the words that decided.

    Parameters
    ----------
    reports : columns title and body.
    explained : whether with the words, which take longer than the probabilities; else they are
        empty.

    Returns
    -------
    In the order of ``reports``: speed, memory, hang, quality, which with the rest, none, add up to
    1; words, those that moved it most, the strongest first, as ``slow (+)`` where one speaks for
    the likeliest kind and ``crash (-)`` where it speaks for none.
    """
    parts = [
        _scored(model, part, explained=explained) for part in reports.iter_slices(ROWS_AT_ONCE)
    ]
    schema = dict.fromkeys(CLASSES[1:], pl.Float64) | {"words": pl.List(pl.String)}
    return pl.concat([pl.DataFrame(schema=schema), *parts])


def issue_probabilities(
    model: Model, issues: pl.DataFrame, counted_kinds: Sequence[str] = COUNTED_KINDS
) -> pl.DataFrame:
    """``labels.performance_probabilities`` of some issues, as ``raw.issues``, in their order."""
    scores = score(model, issues)
    probability = scores.select(pl.sum_horizontal(counted_kinds).round(DIGITS)).to_series()
    return issues.select(
        "repository",
        "number",
        probability=probability,
        is_performance=probability >= model.thresholds[counted(counted_kinds)],
        speed_probability=scores["speed"],
        memory_probability=scores["memory"],
        hang_probability=scores["hang"],
        quality_probability=scores["quality"],
        deciding_words=scores["words"],
        trained_share=pl.lit(_trained_share(model, counted_kinds)),
        model_version=pl.lit(model.version),
        month="month",
    )


def _trained_share(model: Model, kinds: Sequence[str]) -> float:
    """Return the share of reports of ``kinds`` among those that the model was trained with."""
    known = model.description.get("kinds", {})
    numbers = [known.get(kind, 0) for kind in kinds]
    return sum(numbers) / model.description["reports"] if all(numbers) else model.share


def counted(kinds: Sequence[str]) -> str:
    """Return the key of ``kinds`` among the thresholds of a model, e.g. ``speed+memory``."""
    return "+".join(kind for kind in CLASSES if kind in kinds)


def feature_count(words: Mapping[str, Word], vectors: WordVectors) -> int:
    """Return the number of columns of :func:`feature_values`."""
    return len(sign_names(words)) + 2 * int(vectors.vectors.shape[1]) + 1


def feature_values(
    places: pl.DataFrame, words: Mapping[str, Word], vectors: WordVectors
) -> "Floats":
    """Return a row for each report, and the columns of :attr:`Model.weights`."""
    import numpy as np  # noqa: PLC0415

    sums = [vector_sums(terms, vectors, places.height) for terms in terms_of(places, vectors)]
    directions = [VECTOR_WEIGHT * block / lengths_of(block) for block in sums]
    result: Floats = np.hstack(
        [sign_values(places, words).to_numpy(), *directions, np.ones((places.height, 1))]
    )
    return result


def probabilities_of(model: Model, margins: "Floats") -> "Floats":
    """Return the probability of each class by the sums of weights, a row for each report."""
    import numpy as np  # noqa: PLC0415

    exponents = model.slope * margins + np.array(model.shifts)
    exponents -= exponents.max(axis=1, keepdims=True)
    shares = np.exp(exponents)
    result: Floats = shares / shares.sum(axis=1, keepdims=True)
    return result


def _scored(model: Model, reports: pl.DataFrame, *, explained: bool) -> pl.DataFrame:
    places = places_of_reports(reports)
    features = feature_values(places, model.words, model.vectors)
    probabilities = probabilities_of(model, features @ model.weights)
    # Sums of floating numbers depend on the order of their parts, in the last digits.
    columns = {
        kind: probabilities[:, index].round(DIGITS) for index, kind in enumerate(CLASSES) if index
    }
    if not explained:
        return pl.DataFrame(columns).with_columns(words=pl.lit([], dtype=pl.List(pl.String)))
    likeliest = probabilities[:, 1:].argmax(axis=1) + 1
    return pl.DataFrame(columns).with_columns(_deciding(model, places, features, likeliest))


def _deciding(
    model: Model, places: pl.DataFrame, features: "Floats", likeliest: "NDArray[np.intp]"
) -> pl.Series:
    """Return the words of each report that moved it most towards its likeliest kind, or from it."""
    names = sign_names(model.words)
    gains = model.weights - model.weights[:, :1]
    signs = pl.DataFrame(features * gains[:, likeliest].T)[:, : len(names)]
    signs.columns = [sign.rpartition(": ")[2] + str(at) for at, sign in enumerate(names)]
    parts = [
        signs.with_row_index("report")
        .unpivot(index="report", variable_name="word", value_name="value")
        .with_columns(pl.col("word").str.replace(r"\d+$", ""))
    ]
    begin = len(names)
    for terms in terms_of(places, model.vectors):
        rows, reports = terms["row"].to_numpy(), terms["report"].to_numpy()
        vectors = model.vectors.vectors
        pulls = vectors @ gains[begin : begin + vectors.shape[1]]
        lengths = lengths_of(vector_sums(terms, model.vectors, places.height))[reports, 0]
        value = VECTOR_WEIGHT * pulls[rows, likeliest[reports]] / lengths
        named = terms.select("report", word="term").with_columns(value=pl.Series(value))
        parts.append(named.filter(pl.Series(lengths_of(vectors)[rows, 0] >= LEAST_LENGTH)))
        begin += vectors.shape[1]
    strongest = (
        pl.concat(parts)
        .group_by("report", "word")
        .agg(pl.col("value").sum().round(DIGITS))
        .filter(pl.col("value") != 0)
        .sort("report", pl.col("value").abs(), "word", descending=[False, True, False])
        .group_by("report", maintain_order=True)
        .agg(
            words=(
                pl.col("word")
                + pl.when(pl.col("value") > 0).then(pl.lit(" (+)")).otherwise(pl.lit(" (-)"))
            ).head(MOST_WORDS)
        )
    )
    everyone = pl.DataFrame({"report": pl.int_range(places.height, dtype=pl.UInt32, eager=True)})
    return (
        everyone.join(strongest, on="report", how="left", maintain_order="left")
        .get_column("words")
        .fill_null([])
    )
