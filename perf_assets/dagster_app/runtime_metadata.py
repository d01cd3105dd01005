"""What the page of an asset shows of its rows after a run: verdicts, pictures, previews, sizes."""

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import dagster as dg
import duckdb
import polars as pl

from perf_assets.base.sanitize import for_markdown, shortened
from perf_assets.dagster_app.keys import short_name
from perf_assets.reports.formats import shown as written
from perf_assets.reports.formats import with_words
from perf_assets.reports.markdown_table import markdown_table
from perf_assets.reports.numbers import numbers_of
from perf_assets.schema import Table, table_of
from perf_assets.schema.models.asset_graph import tables_of
from perf_assets.schema.models.dependencies import behind_views
from perf_assets.storage.audited_writer import AuditedWriter

if TYPE_CHECKING:
    from perf_assets.reports.figures import Shown

PREVIEWED = "marts."
ROWS = 10
LONGEST_CELL = 40
WIDTH = 46  # characters
LARGEST_PICTURE = 100_000  # bytes, as it stands in the record of the run


def sizes_of(writer: AuditedWriter, asset: str) -> Mapping[str, Any]:
    """Return the number of rows of each stored table of ``asset``."""
    sizes: dict[str, Any] = {}
    for table in tables_of(asset):
        if not table_of(table).is_view:
            name = short_name(table)
            rows = writer.database.connection.execute(f"select count(*) from {table}").fetchall()
            sizes[f"rows of {name}" if name else "dagster/row_count"] = rows[0][0]
    return sizes


class Figures:
    """The figures of tables, each computed when all that it reads is up to date.

    Another process, if there is one, draws them while further tables are computed.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, pending: Iterable[str] = ()) -> None:
        """``pending`` are the tables that are not up to date yet."""
        self._connection = connection
        self._pending = set(pending)
        self._new: set[str] = set()
        self._figures: dict[str, Shown | None] = {}

    def note(self, table: str, *, is_new: bool) -> None:
        """Note that ``table`` is up to date; the figure of one that ``is_new`` is drawn later."""
        self._pending.discard(table)
        if is_new:
            self._new.add(table)
        for ready in [text for text in self._new if not _read_by_figure(text) & self._pending]:
            self._new.discard(ready)
            self.of(ready)

    def of(self, table: str) -> "Shown | None":
        """Return the figure of ``table``; None where it has no rows, or no figure."""
        # It takes what computes, which a run that has nothing to do should not wait for.
        from perf_assets.reports.figures import begin, shown  # noqa: PLC0415

        if table not in self._figures:
            self._figures[table] = figure = shown(self._connection, table)
            if figure is not None:
                begin(figure.panels)
        return self._figures[table]


def runtime_metadata(
    writer: AuditedWriter, assets: Iterable[str], figures: Figures | None = None
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each of ``assets`` with all that is shown of it, its figures first."""
    connection = writer.database.connection
    figures = figures or Figures(connection)
    of_assets = {
        asset: {table: figures.of(table) for table in tables_of(asset)} for asset in assets
    }
    for asset, of_tables in of_assets.items():
        metadata: dict[str, Any] = {}
        for table, figure in of_tables.items():
            metadata |= _figure(table, figure)
        metadata |= numbers_of(connection, asset)
        if asset.startswith(PREVIEWED):
            metadata |= _preview(connection, table_of(asset))
        yield asset, {**metadata, **sizes_of(writer, asset)}


def figure_of(connection: duckdb.DuckDBPyConnection, table: str) -> dict[str, Any]:
    """Verdict, picture and table of the figure of ``table``; nothing where it has none."""
    return _figure(table, Figures(connection).of(table))


@cache
def _read_by_figure(table: str) -> frozenset[str]:
    """Return the tables and views that a table's figure reads, and those behind the views."""
    from perf_assets.reports.figures import figures  # noqa: PLC0415

    return behind_views(figures()[table].reads) if table in figures() else frozenset()


def _figure(table: str, figure: "Shown | None") -> dict[str, Any]:
    if figure is None:
        return {}
    name = short_name(table)
    of = f" of {name}" if name else ""
    # The result is a long sentence: before numbers it would push them out of sight.
    rows = with_words(figure.rows).select(pl.exclude("result"), "^result$")
    parts = {
        "verdict": "\n".join(f"- {_wrapped(sentence)}" for sentence in figure.sentences),
        "figure": _picture(figure),
        "table": _table(rows.columns, rows.rows()),
    }
    return {f"{part}{of}": dg.MetadataValue.md(text) for part, text in parts.items() if text}


def _picture(figure: "Shown") -> str:
    drawn = base64.b64encode(figure.picture.encode()).decode("ascii")
    if len(drawn) > LARGEST_PICTURE:
        return "The picture is too large to be shown here: the report has it."
    return drawn and f"![{for_markdown(figure.title)}](data:image/svg+xml;base64,{drawn})"


def _preview(connection: duckdb.DuckDBPyConnection, table: Table) -> dict[str, Any]:
    """Return the first rows by its key; nothing where there are none."""
    key = ", ".join(f'"{name}"' for name in table.key)
    answer = connection.sql(f"select * from {table.name} order by {key} limit {ROWS}")
    rows = answer.fetchall()
    return {f"first {ROWS} rows": dg.MetadataValue.md(_table(answer.columns, rows))} if rows else {}


def _wrapped(sentence: str) -> str:
    """Return ``sentence`` in lines that fit beside the other columns of Dagster's page."""
    lines = wrap(for_markdown(sentence), WIDTH, break_long_words=False, break_on_hyphens=False)
    return "  \n  ".join(lines)


def _table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    return markdown_table(columns, ([_cell(value) for value in row] for row in rows))


def _cell(value: object) -> str:
    text = f"{value:,.4g}" if isinstance(value, float) else written(value)
    return shortened(text, LONGEST_CELL)
