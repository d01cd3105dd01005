"""The pictures of the replication report: the paper's figure and tables beside what is counted."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from perf_assets.core.analyses.group_samples import metric_samples
from perf_assets.reports.figures.bugs import METRIC_TITLES, distribution
from perf_assets.reports.figures.drawing import INK, KINDS, Spec, over_time
from perf_assets.reports.figures.panels import (
    PLAIN,
    WIDTH,
    category,
    colored,
    course,
    panel,
    panels,
    quantity,
    stacked,
)
from perf_assets.reports.figures.problems import IMPACTS
from perf_assets.reports.figures.trends import SHARES

QUANTILES = 100
"""Points of a drawn distribution."""


def figure_1(trend: pl.DataFrame) -> list[Spec]:
    """Open and fixed percentages of each framework: published as lines, counted as circles."""
    return panels(_trend, trend, "{repository}")


def _trend(repository: str, trend: pl.DataFrame) -> Spec:
    long = trend.unpivot(
        ["published_percent", "reproduced_percent"],
        index=["series", "month"],
        variable_name="source",
        value_name="value",
    ).with_columns(pl.col("source").str.strip_suffix("_percent"), color="series")
    encoding: Spec = {
        "x": over_time("month", {"format": "%Y", "tickCount": "year"}),
        "y": quantity("value", title="performance bugs, percent"),
        "color": colored(list(SHARES), SHARES),
        "tooltip": [
            category("month"),
            category("color", title="series"),
            category("source"),
            quantity("value", title="percent", format=".2f"),
        ],
    }
    marks = {
        "published": {"type": "line", "strokeWidth": 2.5},
        "reproduced": {"type": "point", "size": 22, "filled": False, "opacity": 0.9},
    }
    return panel(
        repository,
        course(long.filter(source="published"), "published, percent"),
        long.select("month", "color", "source", "value"),
        WIDTH,
        240,
        layer=[
            {
                "transform": [{"filter": f"datum.source == '{source}'"}],
                "mark": mark,
                "encoding": encoding,
            }
            for source, mark in marks.items()
        ],
    )


def distributions(bugs: pl.DataFrame) -> list[Spec]:
    """Share of bug reports up to each value, performance bugs beside the others, by metric."""
    return [_distribution(bugs, metric) for metric in METRIC_TITLES]


def _distribution(bugs: pl.DataFrame, metric: str) -> Spec:
    shares = np.linspace(0, 0.99, QUANTILES)  # the last percent would stretch the axis
    medians: dict[str, float] = {}
    points = []
    for kind, sample in zip(KINDS, metric_samples(bugs, metric), strict=True):
        if len(sample):
            medians[kind] = float(np.median(sample.to_numpy()))
            for share, value in zip(shares, np.quantile(sample.to_numpy(), shares), strict=True):
                points.append((kind, float(f"{share:.4g}"), float(f"{value:.4g}")))
    schema = {"color": pl.String, "share": pl.Float64, "value": pl.Float64}
    return distribution(metric, pl.DataFrame(points, schema=schema, orient="row"), medians)


def taxonomy(table_3: pl.DataFrame, rows: pl.DataFrame) -> list[Spec]:
    """Table III: bars by impact as published, a mark where the rows of the data end."""
    entries = [(_indented(entry), entry) for entry in table_3.rows(named=True)]
    published = pl.DataFrame(
        [
            {"cause": name, "color": impact, "bugs": entry[impact], "order": order}
            for name, entry in entries
            for order, impact in enumerate(IMPACTS)
        ]
    )
    counts = {name: _of_cause(rows, entry).height for name, entry in entries}
    description = "; ".join(
        f"{name} {sum(entry[impact] for impact in IMPACTS)} published, {counts[name]} rows"
        for name, entry in entries
    )
    cause = category("cause", sort=list(counts), title=None, axis=PLAIN | {"labelLimit": 240})
    bugs = quantity("bugs", aggregate="sum", title="bugs")
    ticks: Spec = {
        "data": {"values": [{"cause": name, "rows": n} for name, n in counts.items()]},
        "mark": {"type": "tick", "color": INK, "thickness": 2.5, "height": 16},
        "encoding": {"y": cause, "x": quantity("rows")},
    }
    layer = [stacked(cause, bugs, colored(list(IMPACTS), IMPACTS), 13), ticks]
    title = "Bugs by root cause and impact"
    return [panel(title, description, published, WIDTH, 23 * len(entries), layer=layer)]


def _indented(entry: Mapping[str, Any]) -> str:
    subcategory = entry["subcategory"]
    return str(entry["category"]) if subcategory is None else f"– {subcategory}"


def _of_cause(taxonomy: pl.DataFrame, entry: Mapping[str, Any]) -> pl.DataFrame:
    """Return the rows of the root cause of an entry: a category, or one of its sub-categories."""
    rows = taxonomy.filter(category=entry["category"])
    return rows if entry["subcategory"] is None else rows.filter(subcategory=entry["subcategory"])
