"""What a figure is: a question to the published database, its verdict in words, its picture."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from pkgutil import resolve_name

import duckdb
import polars as pl

from perf_assets.base.paths import models_dir
from perf_assets.base.sanitize import escape_text
from perf_assets.reports.figures.drawing import Spec, picture
from perf_assets.reports.sql_files import from_rows_of, read_sql, sql_of
from perf_assets.reports.top_repositories import passed_over, without
from perf_assets.schema import FigureDeclaration, declared
from perf_assets.schema.frames import frame_of
from perf_assets.schema.models.files import tables_behind
from perf_assets.storage.lake_rows import lake_rows, names_any

DATASETS = ("live", "replication")
"""Mined data, and published ones, which are shown where nothing is mined."""

MOST_SENTENCES, MOST_ROWS, MOST_PANELS = 12, 20, 4


@dataclass(frozen=True)
class Figure:
    """A figure with its queries, each of which runs as it stands over the published database.

    Attributes
    ----------
    declared
        Its title, its section of the report, and what draws it.
    rows
        The query of its table, what matters most first.
    verdicts
        The query of its verdicts: whose, and a sentence, a row each; ``pooled`` last.
    drawn
        The query of the data of its picture.
    """

    declared: FigureDeclaration
    rows: str
    verdicts: str
    drawn: str

    @property
    def reads(self) -> frozenset[str]:
        """The tables and views that its queries read."""
        queries = (self.rows, self.verdicts, self.drawn, sql_of("passed_over"))
        return frozenset(table for query in queries for table in tables_behind(query))

    def shown(
        self, connection: duckdb.DuckDBPyConnection, datasets: Sequence[str] = DATASETS
    ) -> "Shown | None":
        """Return the figure over the first of ``datasets`` that has any data for it; None without.

        Of many repositories it is about those that
        :mod:`perf_assets.reports.top_repositories` names.
        """
        elsewhere = lake_rows(connection)
        if names_any(self.rows, elsewhere):
            return None
        for dataset in datasets:
            query, verdicts_query, drawn = (
                text.replace("'live'", f"'{dataset}'")
                for text in (self.rows, self.verdicts, self.drawn)
            )
            left_out = passed_over(connection) if dataset == "live" else frozenset()
            rows = without(frame_of(connection.sql(query)), left_out)
            if rows.is_empty():
                continue
            is_far = names_any(verdicts_query, elsewhere)
            sentences = [] if is_far else connection.execute(verdicts_query).fetchall()
            source = rows
            if drawn != query:
                source = without(frame_of(connection.sql(drawn)), left_out)
            return Shown(
                title=self.declared.title,
                verdicts=[(who, what) for who, what in sentences if what and who not in left_out],
                found=rows,
                query=query,
                verdicts_query=verdicts_query,
                drawn=drawn,
                panels=self._panels(source),
            )
        return None

    def _panels(self, rows: pl.DataFrame) -> list[Spec]:
        """Return the parts of its picture."""
        if self.declared.draw is None:
            return []
        draw: Callable[[pl.DataFrame], list[Spec]] = resolve_name(
            f"{__package__}.{self.declared.draw.replace('.', ':')}"
        )
        return draw(rows)


@cache
def figures() -> Mapping[str, Figure]:
    """Return the declared figures, by schema and name."""
    return {
        f"{table.schema_name}.{name}": _read(table.schema_name, name, declaration)
        for table in declared().values()
        for name, declaration in table.figures.items()
    }


def _read(schema: str, name: str, declaration: FigureDeclaration) -> Figure:
    folder = models_dir() / schema / "figures"
    rows = sql_of(f"{schema}.{name}")

    def over_rows(path: Path) -> str:
        return read_sql(path).replace("from figure_rows", from_rows_of(rows))

    drawn = folder / f"{name}.drawn.sql"
    return Figure(
        declaration,
        rows,
        over_rows(folder / f"{name}.verdicts.sql"),
        over_rows(drawn) if drawn.exists() else rows,
    )


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
        sentences = [escape_text(f"{who}: {what}") for who, what in self.verdicts[:MOST_SENTENCES]]
        if (left_out := len(self.verdicts) - MOST_SENTENCES) > 0:
            sentences.append(f"and {left_out} more verdicts: see the report")
        if (number := len(self.panels)) > MOST_PANELS:
            sentences.append(f"the picture shows {MOST_PANELS} of {number} panels: see the report")
        return sentences

    @property
    def rows(self) -> pl.DataFrame:
        """The first rows of the table."""
        return self.found.head(MOST_ROWS)

    @property
    def picture(self) -> str:
        """The first panels as one SVG element; empty where there is nothing to draw."""
        return picture(self.panels[:MOST_PANELS]) if self.panels else ""
