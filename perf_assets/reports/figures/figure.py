"""What a figure is: a question to the published database, its verdict in words, its picture."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import duckdb
import polars as pl

from perf_assets.base.sanitize import escape_text
from perf_assets.reports.figures.drawing import Spec, picture
from perf_assets.reports.top_repositories import PASSED_OVER, passed_over, without
from perf_assets.schema.frames import frame_of
from perf_assets.schema.models.files import tables_behind
from perf_assets.storage.lake_rows import lake_rows, names_any

DATASETS = ("live", "replication")
"""Mined data, and published ones, which are shown where nothing is mined."""

MOST_SENTENCES, MOST_ROWS, MOST_PANELS = 12, 20, 4

P_TEXT = (
    "case when {0} < 0.001 then 'p < 0.001' "
    "else coalesce(printf('p = %.3f', {0}), 'not testable') end"
)
"""A p-value in words, as SQL."""


def wilson_limits(k: str, n: str) -> str:
    """Wilson's interval at 95 %, in percent, of the share of two columns, as ``low`` and ``high``.

    ``n`` is above 0. In SQL, so that reading a report needs no SciPy.
    """
    share = f"(1.0 * {k} / {n})"
    reach = f"1.96 * sqrt({share} * (1 - {share}) / {n} + 0.96 / {n} / {n})"
    middle, whole = f"{share} + 1.92 / {n}", f"(1 + 3.84 / {n})"
    return (
        f"100 * greatest(0, ({middle} - {reach}) / {whole}) as low, "
        f"100 * least(1, ({middle} + {reach}) / {whole}) as high"
    )


Draw = Callable[[pl.DataFrame], list[Spec]]


@dataclass(frozen=True)
class Figure:
    """A figure as it is declared; every query runs as it stands over the published database.

    Attributes
    ----------
    title
        What it shows.
    rows
        The query of its table, what matters most first.
    verdicts
        The query of its verdicts: whose, and a sentence, a row each; ``pooled`` last.
    draw
        The panels of its picture, from the rows of ``drawn``, by default those of ``rows``.
    """

    title: str
    rows: str
    verdicts: str
    draw: Draw | None = None
    drawn: str = ""

    @property
    def reads(self) -> frozenset[str]:
        """The tables and views that its queries read."""
        queries = (self.rows, self.verdicts, self.drawn, PASSED_OVER)
        return frozenset(table for query in queries for table in tables_behind(query))

    def shown(
        self, connection: duckdb.DuckDBPyConnection, datasets: Sequence[str] = DATASETS
    ) -> "Shown | None":
        """The figure over the first of ``datasets`` that has any data for it; None without.

        Of many repositories it is about those that
        :mod:`perf_assets.reports.top_repositories` names.
        """
        elsewhere = lake_rows(connection)
        if names_any(self.rows, elsewhere):
            return None
        for dataset in datasets:
            query, verdicts_query, drawn = (
                text.replace("'live'", f"'{dataset}'")
                for text in (self.rows, self.verdicts, self.drawn or self.rows)
            )
            left_out = passed_over(connection) if dataset == "live" else frozenset()
            rows = without(frame_of(connection.sql(query)), left_out)
            if not rows.is_empty():
                sentences = (
                    ()
                    if names_any(verdicts_query, elsewhere)
                    else connection.execute(verdicts_query).fetchall()
                )
                verdicts = [(who, what) for who, what in sentences if what and who not in left_out]
                source = (
                    rows if drawn == query else without(frame_of(connection.sql(drawn)), left_out)
                )
                panels = self.draw(source) if self.draw else []
                return Shown(
                    title=self.title,
                    verdicts=verdicts,
                    found=rows,
                    query=query.strip(),
                    verdicts_query=verdicts_query.strip(),
                    drawn=drawn.strip(),
                    panels=panels,
                )
        return None


@dataclass(frozen=True)
class Shown:
    """A figure over the data of a database.

    Attributes
    ----------
    verdicts, found
        All verdicts, and all rows of the table; ``sentences`` and ``rows`` are the first of them.
    query, verdicts_query, drawn
        The queries that give the table, the verdicts, and the data of the picture.
    panels
        The parts of the picture, each a chart; none where there is nothing to draw.
    """

    title: str
    verdicts: list[tuple[str, str]]
    found: pl.DataFrame
    query: str
    verdicts_query: str
    drawn: str
    panels: list[Spec]

    @property
    def sentences(self) -> list[str]:
        """The first verdicts, and how much else there is."""
        left_out = len(self.verdicts) - MOST_SENTENCES
        more = [f"and {left_out} more verdicts: see the report"] if left_out > 0 else []
        rest = len(self.panels) - MOST_PANELS
        parts = [f"the picture shows {MOST_PANELS} of {len(self.panels)} panels: see the report"]
        first = [escape_text(f"{who}: {what}") for who, what in self.verdicts[:MOST_SENTENCES]]
        return [*first, *more, *(parts if rest > 0 else [])]

    @property
    def rows(self) -> pl.DataFrame:
        """The first rows of the table."""
        return self.found.head(MOST_ROWS)

    @property
    def picture(self) -> str:
        """The first panels as one SVG element; empty where there is nothing to draw."""
        return picture(self.panels[:MOST_PANELS]) if self.panels else ""
