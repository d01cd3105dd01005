"""What a model reads in reports: words by their places, and the meaning of all words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from perf_assets.core.labelling.places import Places, places_of
from perf_assets.core.labelling.vocabulary import KINDS, WORDS, Word, pattern_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

LONGEST_TEXT = 4_000
"""Characters of a text in which words are counted."""

LONGEST_BEGINNING = 800
"""Characters of a text whose meaning is read, after the title."""

VECTOR_WEIGHT = 3.0
TERM = r"[a-z][a-z']+"

PREFIX = "prefix of the title"
_IN_LOG = "log: out of memory"


@dataclass(frozen=True)
class WordVectors:
    """Vectors of words, which lie near to each other where words mean the like.

    terms : columns term and row.
    vectors : a row for each term, longer the rarer the word is.
    """

    terms: pl.DataFrame
    vectors: "NDArray[np.float32]"


def places_of_reports(reports: pl.DataFrame) -> pl.DataFrame:
    """Return the :class:`Places` of each report: a column for each place.

    Parameters
    ----------
    reports : columns title, body; a missing one is an empty one.
    """
    found = [places_of(title, body) for title, body in reports.select("title", "body").iter_rows()]
    texts = dict.fromkeys(Places._fields, pl.String) | {"has_prefix": pl.Boolean}
    return pl.DataFrame(found, schema=texts, orient="row")


def sign_names(words: Mapping[str, Word]) -> list[str]:
    """Return the names of the signs that ``words`` give, in the order of their columns."""
    return list(_signs(words))


def sign_values(places: pl.DataFrame, words: Mapping[str, Word]) -> pl.DataFrame:
    """Return how much of each sign is in each report: a column for each of :func:`sign_names`.

    A word in the title or the first paragraph is 1. Of the whole text it is half the logarithm of
    one more than how often words of the kind are in it.
    """
    return places.select(**_signs(words)).cast(pl.Float64)


def _signs(words: Mapping[str, Word]) -> dict[str, pl.Expr]:
    signs = {PREFIX: pl.col("has_prefix")}
    for place, name_of in (("title", "title"), ("first_paragraph", "first paragraph")):
        for name, word in words.items():
            signs[f"{name_of}: {name}"] = pl.col(place).str.contains(word.pattern)
    text = pl.col("text").str.slice(0, LONGEST_TEXT)
    for kind in KINDS:
        pattern = pattern_of(word for word in words.values() if word.kind == kind)
        signs[f"title: any {kind}"] = pl.col("title").str.contains(pattern)
        signs[f"paragraph: any {kind}"] = pl.col("first_paragraph").str.contains(pattern)
        signs[f"text: any {kind}"] = text.str.count_matches(pattern).log1p() / 2
    signs[_IN_LOG] = pl.col("log").str.contains(WORDS["out of memory"].pattern)
    return signs


def terms_of(places: pl.DataFrame, vectors: WordVectors) -> list[pl.DataFrame]:
    """Return the known words of the title, and those of title and text, in their order.

    Returns
    -------
    For each of the two columns report (its position), term and row (of the vectors).
    """
    beginning = pl.col("text").str.slice(0, LONGEST_BEGINNING)
    return [
        places.with_row_index("report")
        .select("report", term=text.str.extract_all(TERM))
        .explode("term", empty_as_null=True)
        .join(vectors.terms, on="term", how="inner", maintain_order="left")
        for text in (pl.col("title"), pl.concat_str("title", beginning, separator=" "))
    ]


def vector_sums(terms: pl.DataFrame, vectors: WordVectors, reports: int) -> "Floats":
    """Return the sum of the vectors of each report's words, a row each; zero without words."""
    import numpy as np  # noqa: PLC0415  (who has nothing to label need not wait for it)

    sums: Floats = np.zeros((reports, vectors.vectors.shape[1]))
    if terms.height:
        positions, begins = np.unique(terms["report"].to_numpy(), return_index=True)
        found = vectors.vectors[terms["row"].to_numpy()]
        sums[positions] = np.add.reduceat(found, begins, axis=0, dtype=np.float64)
    return sums


def lengths_of(sums: "NDArray[np.floating[Any]]") -> "Floats":
    """Return the length of each row, and 1 for rows of zeros."""
    import numpy as np  # noqa: PLC0415

    lengths: Floats = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.where(lengths == 0, 1.0, lengths)
