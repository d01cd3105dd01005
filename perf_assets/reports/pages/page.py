"""The page of perf-assets docs: one file that opens offline, from declarations and cookbook.

With a database it also has the state of what is stored: facts, partitions with their audits, and
data quality by month.
"""

from pathlib import Path

import duckdb
import polars as pl

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import in_words
from perf_assets.reports.dictionary import SCHEMAS, kind_of, meaning_of, schemas
from perf_assets.reports.document import Part, Section
from perf_assets.reports.figures.drawing import COOL, OTHER, WARM, Spec
from perf_assets.reports.figures.panels import panels, series
from perf_assets.reports.figures.quality import audit_grid
from perf_assets.reports.pages.lineage import draw_lineage
from perf_assets.reports.query_runner import published_database
from perf_assets.reports.rendering import render
from perf_assets.reports.sql_files import rows_of
from perf_assets.schema.models.cookbook import by_group, cookbook
from perf_assets.schema.models.dependencies import made_from, origin_of, read_by
from perf_assets.schema.models.files import described_tables, load_models

WORDS = {
    "tables": "What each table and column means. All timestamps are UTC, months are YYYY-MM, what "
    "is missing is NULL. The same texts are comments in the database.",
    "lineage": "From what GitHub and git say, on the left, to the statistics, on the right. Point "
    "at a table to see what it is made from and what is made of it; click to read what it means.",
}

DETAILS = ("audit", "rows", "loaded", "rules", "message")
MONTH, MEDIAN = "the month", "median of the 12 months before"
LINES = {MONTH: COOL, MEDIAN: OTHER}


def docs_html(published: Path | None) -> str:
    """Return the page; with the state of the ``published`` database where there is one.

    Raises
    ------
    PerfAssetsError
        That database is damaged, or of an older version.
    """
    tables = described_tables().values()
    return render(
        "database/page.html",
        title="perf-assets: the database",
        sections=[
            Section("tables", "Tables", [WORDS["tables"]]),
            Section("lineage", "Lineage", [WORDS["lineage"]]),
            Section("queries", "Queries"),
            *([_state(published)] if published else []),
        ],
        schemas=[
            (name, SCHEMAS.get(name, ""), [table for table in tables if table.schema_name == name])
            for name in schemas()
        ],
        lineage={model.name: model.column_lineage for model in load_models()},
        drawing=draw_lineage(made_from()),
        groups=by_group(cookbook().values()),
        upstream=made_from(),
        origin_of=origin_of,
        read_by=read_by,
        kind_of=kind_of,
        meaning_of=meaning_of,
    )


def _state(published: Path) -> Section:
    try:
        with published_database(published) as connection:
            return read_state(connection)
    except PerfAssetsError as error:
        raise PerfAssetsError(f"{error}; perf-assets run publishes it anew") from None


def read_state(connection: duckdb.DuckDBPyConnection) -> Section:
    """Return facts of the database, and audits and data quality of each repository."""
    words = [
        "Each month of each table and its last audit; then data quality by month: the value, and "
        "the median of the twelve months before. A month far outside is marked."
    ]
    parts = [read_facts(connection)]
    audits, title = rows_of(connection, "partitions"), "Partitions and their audits"
    for index, ((repository,), cells) in enumerate(
        audits.group_by("repository", maintain_order=True)
    ):
        grid = audit_grid("audits of each month", cells, "table", DETAILS)
        parts.append(Part(f"partitions-{index}", title, str(repository), panels=[grid]))
    volumes = rows_of(connection, "volume_anomalies")
    for index, ((repository,), points) in enumerate(
        volumes.group_by("repository", maintain_order=True)
    ):
        curves = panels(_curve, points, "{measure}")
        parts.append(Part(f"quality-{index}", "Data quality", str(repository), panels=curves))
    return Section("state", "State", words, parts)


def read_facts(connection: duckdb.DuckDBPyConnection) -> Part:
    """Return the facts of the database: when, from what, by which rules."""
    facts = rows_of(connection, "about")
    return Part("about", "About this database", table=facts, is_open=True)


def _curve(measure: str, points: pl.DataFrame) -> Spec:
    """Return a measure over the months beside the median before it, with marks on odd months."""
    renamed = points.rename({"value": MONTH, "median_before": MEDIAN})
    long = renamed.unpivot(list(LINES), index=["month", "is_anomaly"], variable_name="color")
    name = in_words(measure)
    chart = series(name, long, name, LINES)
    line = chart["layer"][-1]
    odd = {
        "transform": [{"filter": f"datum.is_anomaly && datum.color == '{MONTH}'"}],
        "mark": {"type": "point", "filled": True, "size": 60, "color": WARM},
        "encoding": {key: line["encoding"][key] for key in ("x", "y", "tooltip")},
    }
    return chart | {"layer": [*chart["layer"], odd]}
