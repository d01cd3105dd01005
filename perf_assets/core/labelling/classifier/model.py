"""A trained model, and the probabilities that it gives to reports."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from perf_assets.core.labelling.classifier.features import (
    cleaned,
    counted_terms,
    signal_values,
    words_of,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DIGITS = 9
"""Of a probability, after the point."""

BLOCKS: Mapping[str, float] = {"text": 1.0, "title": 0.5}
"""The blocks of terms, each of length one in a report, and how much they weigh."""

SIGNAL_WEIGHT = 0.5
TITLE_WEIGHT = 2
"""How often the title counts in the whole text."""

MOST_WORDS = 8
"""Words that are named for a report."""

ROWS_AT_ONCE = 2_000

Floats: TypeAlias = "NDArray[np.float64]"


@dataclass(frozen=True)
class Model:
    """A logistic regression over words, pairs of words and signals.

    Attributes
    ----------
    version : names what it was trained on and how, e.g. ``3f2a9c0b``.
    stems : the stem of each word that is known.
    terms : by block of terms a frame: term, inverse document frequency, weight.
    signals : the weight of each signal, as ``title: slow``.
    intercept : what a report without any of them has.
    slope, shift : of the sigmoid that turns a margin into a probability.
    threshold : from which probability on a report counts as one about performance.
    share : the share of performance reports that it was trained with.
    description : what it was trained on, by which command, and how good it was on what it had not
        seen.
    """

    version: str
    stems: Mapping[str, str]
    terms: Mapping[str, pl.DataFrame]
    signals: Mapping[str, float]
    intercept: float
    slope: float
    shift: float
    threshold: float
    share: float
    description: Mapping[str, Any]


def score(model: Model, reports: pl.DataFrame) -> pl.DataFrame:
    """Return the probability of each report to be about performance, and the words that decided.

    Parameters
    ----------
    reports : columns title and body.

    Returns
    -------
    In the order of ``reports``: probability; words, those that moved it most, the strongest first,
    as ``slow (+)`` where one speaks for performance and ``crash (-)`` where it speaks against.
    """
    parts = [_scored(model, part) for part in reports.iter_slices(ROWS_AT_ONCE)]
    empty = pl.DataFrame(schema={"probability": pl.Float64, "words": pl.List(pl.String)})
    return pl.concat([empty, *parts])


def issue_probabilities(model: Model, issues: pl.DataFrame) -> pl.DataFrame:
    """``labels.performance_probabilities`` of some issues, as ``raw.issues``, in their order."""
    scores = score(model, issues)
    return issues.select(
        "repository",
        "number",
        probability=scores["probability"],
        is_performance=scores["probability"] >= model.threshold,
        deciding_words=scores["words"],
        trained_share=pl.lit(model.share),
        model_version=pl.lit(model.version),
        month="month",
    )


def probability_of(model: Model, margins: "Floats") -> "Floats":
    """Probabilities by the sigmoid of the model (Platt 1999)."""
    import numpy as np  # noqa: PLC0415  (who has nothing to label need not wait for it)

    exponents = np.clip(model.slope * margins + model.shift, -500, 500)
    result: Floats = 1 / (1 + np.exp(-exponents))
    return result


def _scored(model: Model, reports: pl.DataFrame) -> pl.DataFrame:
    import numpy as np  # noqa: PLC0415

    texts = cleaned(reports)
    contributions = pl.concat(
        [*(_of_terms(model, block, texts) for block in model.terms), _of_signals(model, texts)]
    )
    margins = np.full(reports.height, model.intercept)
    sums = contributions.group_by("report").agg(pl.col("value").sum())
    margins[sums["report"].to_numpy()] += sums["value"].to_numpy()
    # Sums of floating numbers depend on the order of their parts, in the last digits.
    probabilities = np.round(probability_of(model, margins), DIGITS)
    return pl.DataFrame({"probability": probabilities}).with_columns(
        _deciding(contributions, reports.height)
    )


def words_of_block(texts: pl.DataFrame, block: str) -> pl.DataFrame:
    """Return the words of the text that a block of terms is read from, as :func:`words_of`."""
    columns = ["title"] if block == "title" else [*["title"] * TITLE_WEIGHT, "body"]
    return words_of(texts.select(pl.concat_str(columns, separator="\n")).to_series())


def weighted_terms(counted: pl.DataFrame, known: pl.DataFrame, block: str) -> pl.DataFrame:
    """Return the known terms by logarithmic frequency and rarity, of length one in each report."""
    value = (1 + pl.col("count").log()) * pl.col("idf")
    length = pl.col("value").pow(2).sum().sqrt().over("report")
    return (
        counted.join(known, on="term", how="inner", maintain_order="left")
        .with_columns(value=value)
        .with_columns(value=BLOCKS[block] * pl.col("value") / length)
    )


def _of_terms(model: Model, block: str, texts: pl.DataFrame) -> pl.DataFrame:
    counted = counted_terms(words_of_block(texts, block), model.stems)
    weighted = weighted_terms(counted, model.terms[block], block)
    return weighted.select("report", "word", value=pl.col("value") * pl.col("weight"))


def _of_signals(model: Model, texts: pl.DataFrame) -> pl.DataFrame:
    values = signal_values(texts).with_row_index("report")
    weights = pl.DataFrame(
        {"signal": list(model.signals), "weight": list(model.signals.values())},
        schema={"signal": pl.String, "weight": pl.Float64},
    )
    return (
        values.unpivot(index="report", variable_name="signal")
        .filter(pl.col("value") > 0)
        .join(weights, on="signal", maintain_order="left")
        .select(
            "report",
            word=pl.col("signal").str.replace("^(?:title|body): ", ""),
            value=SIGNAL_WEIGHT * pl.col("value") * pl.col("weight"),
        )
    )


def _deciding(contributions: pl.DataFrame, reports: int) -> pl.Series:
    """Return the words of each report that moved its probability most."""
    strongest = (
        contributions.group_by("report", "word")
        .agg(pl.col("value").sum())
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
    everyone = pl.DataFrame({"report": pl.int_range(reports, dtype=pl.UInt32, eager=True)})
    return (
        everyone.join(strongest, on="report", how="left", maintain_order="left")
        .get_column("words")
        .fill_null([])
    )
