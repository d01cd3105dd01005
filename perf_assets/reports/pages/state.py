"""The state of what is stored: facts, partitions with their audits, data quality by month."""

import duckdb
import polars as pl

from perf_assets.base.sanitize import in_words
from perf_assets.reports.document import Part, Section
from perf_assets.reports.figures.audits import audit_grid
from perf_assets.reports.figures.drawing import COOL, OTHER, WARM, Spec
from perf_assets.reports.figures.panels import panels, series
from perf_assets.reports.sql_files import rows_of

DETAILS = ("audit", "rows", "loaded", "rules", "message")
MONTH, MEDIAN = "the month", "median of the 12 months before"
LINES = {MONTH: COOL, MEDIAN: OTHER}


def read_state(connection: duckdb.DuckDBPyConnection) -> Section:
    """Return the facts of the database; of each repository a grid of audits and curves of
    quality.
    """
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
