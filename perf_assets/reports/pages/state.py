"""The state of what is stored: facts, partitions with their audits, data quality by month."""

from collections.abc import Iterator

import duckdb
import polars as pl

from perf_assets.base.sanitize import in_words
from perf_assets.reports.document import Part, Section
from perf_assets.reports.figures.audits import audit_grid
from perf_assets.reports.figures.drawing import COOL, OTHER, WARM, Spec
from perf_assets.reports.figures.panels import series
from perf_assets.reports.sql_files import sql_of
from perf_assets.schema.frames import frame_of

DETAILS = ("audit", "rows", "loaded", "rules", "message")
MONTH, MEDIAN = "the month", "median of the 12 months before"
LINES = {MONTH: COOL, MEDIAN: OTHER}


def read_state(connection: duckdb.DuckDBPyConnection) -> Section:
    """Return the facts of the database; of each repository a grid of audits and curves of
    quality.
    """
    about = read_facts(connection)
    words = [
        "Each month of each table and its last audit; then data quality by month: the value, and "
        "the median of the twelve months before. A month far outside is marked."
    ]
    return Section("state", "State", words, [about, *_audits(connection), *_curves(connection)])


def read_facts(connection: duckdb.DuckDBPyConnection) -> Part:
    """Return the facts of the database: when, from what, by which rules."""
    facts = frame_of(connection.sql(sql_of("about")))
    return Part("about", "About this database", table=facts, is_open=True)


def _audits(connection: duckdb.DuckDBPyConnection) -> Iterator[Part]:
    for index, (repository, cells) in enumerate(_by_repository(connection, sql_of("partitions"))):
        grid = audit_grid("audits of each month", cells, "table", DETAILS)
        title = "Partitions and their audits"
        yield Part(f"partitions-{index}", title, repository, panels=[grid])


def _curves(connection: duckdb.DuckDBPyConnection) -> Iterator[Part]:
    for index, (repository, points) in enumerate(
        _by_repository(connection, sql_of("volume_anomalies"))
    ):
        measures = points.group_by("measure", maintain_order=True)
        panels = [_curve(str(measure), rows) for (measure,), rows in measures]
        yield Part(f"quality-{index}", "Data quality", repository, panels=panels)


def _by_repository(
    connection: duckdb.DuckDBPyConnection, query: str
) -> Iterator[tuple[str, pl.DataFrame]]:
    groups = frame_of(connection.sql(query)).group_by("repository", maintain_order=True)
    return ((str(repository), rows) for (repository,), rows in groups)


def _curve(measure: str, points: pl.DataFrame) -> Spec:
    """Return a measure over the months beside the median before it, with marks on odd months."""
    renamed = points.rename({"value": MONTH, "median_before": MEDIAN})
    long = renamed.unpivot(list(LINES), index=["month", "is_anomaly"], variable_name="color")
    name = in_words(measure)
    panel = series(name, long, name, LINES)
    line = panel["layer"][-1]
    odd = {
        "transform": [{"filter": f"datum.is_anomaly && datum.color == '{MONTH}'"}],
        "mark": {"type": "point", "filled": True, "size": 60, "color": WARM},
        "encoding": {key: line["encoding"][key] for key in ("x", "y", "tooltip")},
    }
    return panel | {"layer": [*panel["layer"], odd]}
