"""Reports that may be about the same: their words mean the like, by the classifier's vectors."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from perf_assets.core.labelling.classifier.features import (
    LONGEST_BEGINNING,
    WordVectors,
    lengths_of,
    terms_of,
    vector_sums,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEAST_SIMILARITY = 0.75
"""Of two trackers read pair by pair, about half of those above are about the same."""

MOST_SIMILAR = 3


@dataclass(frozen=True)
class ReportVectors:
    """The meaning of each report, as a row of length 1 (title and text weigh the same).

    reports : columns repository and number, and whatever is wanted of a similar report.
    """

    reports: pl.DataFrame
    vectors: "NDArray[np.float32]"

    def similar_to(self, repository: str, number: int) -> pl.DataFrame:
        """Return the most similar other reports of the repository, the most similar first.

        Returns
        -------
        At most :data:`MOST_SIMILAR` rows of ``reports`` with the column similarity, the cosine; at
        least :data:`LEAST_SIMILARITY`. None of a report that is not there.
        """
        own = (pl.col("repository") == repository) & (pl.col("number") == number)
        placed = self.reports.with_row_index("place")
        found = placed.filter(own)
        if found.is_empty():
            return placed.clear().drop("place").with_columns(similarity=pl.lit(0.0))
        similarity = pl.Series(self.vectors @ self.vectors[found["place"][0]]).cast(pl.Float64)
        return (
            self.reports.with_columns(similarity=similarity)
            .filter(
                ~own,
                pl.col("repository") == repository,
                pl.col("similarity") >= LEAST_SIMILARITY,
            )
            .sort("similarity", "number", descending=[True, False])
            .head(MOST_SIMILAR)
        )


def report_vectors(reports: pl.DataFrame, vectors: WordVectors) -> ReportVectors:
    """Return the meaning of each report.

    Parameters
    ----------
    reports : columns repository, number, title and body; of the body the beginning is read.
    """
    import numpy as np  # noqa: PLC0415  (who does not review need not wait for it)

    places = reports.select(
        title=pl.col("title").fill_null("").str.to_lowercase(),
        text=pl.col("body").fill_null("").str.slice(0, LONGEST_BEGINNING).str.to_lowercase(),
    )
    parts = []
    for terms in terms_of(places, vectors):
        sums = vector_sums(terms, vectors, reports.height)
        parts.append(sums / lengths_of(sums))
    both = np.hstack(parts)
    return ReportVectors(reports.drop("body"), (both / lengths_of(both)).astype(np.float32))
