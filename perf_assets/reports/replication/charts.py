"""The pictures of the replication report: the paper's figure and tables beside what is counted."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl

from perf_assets.core.analyses.group_samples import metric_samples
from perf_assets.reports.figures.causes import IMPACTS
from perf_assets.reports.figures.distributions import METRIC_TITLES, distribution
from perf_assets.reports.figures.drawing import INK, KINDS, Spec, over_time
from perf_assets.reports.figures.panels import WIDTH, colored, course, values
from perf_assets.reports.figures.trends import SHARES

QUANTILES = 100
"""Points of a drawn distribution."""


def figure_1(trend: pl.DataFrame) -> list[Spec]:
    """Open and fixed percentages of each framework: published as lines, counted as circles."""
    return [
        _trend(str(name), rows)
        for (name,), rows in trend.group_by("repository", maintain_order=True)
    ]


def distributions(bugs: pl.DataFrame) -> list[Spec]:
    """Share of bug reports up to each value, performance bugs beside the others, by metric."""
    return [_distribution(bugs, metric) for metric in METRIC_TITLES]


def taxonomy(table_3: pl.DataFrame, rows: pl.DataFrame) -> list[Spec]:
    """Table III: bars by impact as published, a mark where the rows of the data end."""
    entries = table_3.rows(named=True)
    names = [_indented(entry) for entry in entries]
    published = [
        {"cause": name, "color": impact, "bugs": entry[impact], "order": order}
        for name, entry in zip(names, entries, strict=True)
        for order, impact in enumerate(IMPACTS)
    ]
    counted = {
        name: _of_cause(rows, entry).height for name, entry in zip(names, entries, strict=True)
    }
    description = (
        f"{name} {sum(entry[impact] for impact in IMPACTS)} published, {counted[name]} rows"
        for name, entry in zip(names, entries, strict=True)
    )
    cause: Spec = {
        "field": "cause",
        "type": "nominal",
        "sort": names,
        "title": None,
        "axis": {"labelLimit": 240, "ticks": False, "domain": False},
    }
    bars: Spec = {
        "mark": {"type": "bar", "height": 13},
        "encoding": {
            "y": cause,
            "x": {"aggregate": "sum", "field": "bugs", "type": "quantitative", "title": "bugs"},
            "color": colored(list(IMPACTS), IMPACTS),
            "order": {"field": "order"},
            "tooltip": [{"field": name} for name in ("cause", "color", "bugs")],
        },
    }
    ticks: Spec = {
        "data": {"values": [{"cause": name, "rows": n} for name, n in counted.items()]},
        "mark": {"type": "tick", "color": INK, "thickness": 2.5, "height": 16},
        "encoding": {"y": cause, "x": {"field": "rows", "type": "quantitative"}},
    }
    return [
        {
            "title": "Bugs by root cause and impact",
            "description": "; ".join(description),
            "data": {"values": published},
            "width": WIDTH,
            "height": 23 * len(names),
            "layer": [bars, ticks],
        }
    ]


def _trend(repository: str, trend: pl.DataFrame) -> Spec:
    long = trend.unpivot(
        ["published_percent", "reproduced_percent"],
        index=["series", "month"],
        variable_name="source",
        value_name="value",
    ).with_columns(pl.col("source").str.strip_suffix("_percent"), color="series")
    encoding: Spec = {
        "x": over_time("month", {"format": "%Y", "tickCount": "year"}),
        "y": {"field": "value", "type": "quantitative", "title": "performance bugs, percent"},
        "color": colored(list(SHARES), SHARES),
        "tooltip": [
            {"field": "month", "type": "nominal"},
            {"field": "color", "type": "nominal", "title": "series"},
            {"field": "source", "type": "nominal"},
            {"field": "value", "type": "quantitative", "title": "percent", "format": ".2f"},
        ],
    }

    def of(source: str, mark: Spec) -> Spec:
        chosen = [{"filter": f"datum.source == '{source}'"}]
        return {"transform": chosen, "mark": mark, "encoding": encoding}

    return {
        "title": repository,
        "description": course(long.filter(source="published"), "published, percent"),
        "data": {"values": values(long.select("month", "color", "source", "value"))},
        "width": WIDTH,
        "height": 240,
        "layer": [
            of("published", {"type": "line", "strokeWidth": 2.5}),
            of("reproduced", {"type": "point", "size": 22, "filled": False, "opacity": 0.9}),
        ],
    }


def _distribution(bugs: pl.DataFrame, metric: str) -> Spec:
    samples = dict(zip(KINDS, metric_samples(bugs, metric), strict=True))
    medians = {
        kind: float(np.median(sample.to_numpy())) for kind, sample in samples.items() if len(sample)
    }
    schema = {"color": pl.String, "share": pl.Float64, "value": pl.Float64}
    return distribution(metric, pl.DataFrame(list(_cumulative(samples)), schema=schema), medians)


def _cumulative(samples: dict[str, pl.Series]) -> Iterator[dict[str, Any]]:
    shares = np.linspace(0, 0.99, QUANTILES)  # the last percent would stretch the axis
    for kind, sample in samples.items():
        if len(sample):
            values = np.quantile(sample.to_numpy(), shares)
            for share, value in zip(shares, values, strict=True):
                point = {"share": float(f"{share:.4g}"), "value": float(f"{value:.4g}")}
                yield {"color": kind, **point}


def _indented(entry: Mapping[str, Any]) -> str:
    subcategory = entry["subcategory"]
    return str(entry["category"]) if subcategory is None else f"– {subcategory}"


def _of_cause(taxonomy: pl.DataFrame, entry: Mapping[str, Any]) -> pl.DataFrame:
    """Return the rows of the root cause of an entry: a category, or one of its sub-categories."""
    rows = taxonomy.filter(category=entry["category"])
    return rows if entry["subcategory"] is None else rows.filter(subcategory=entry["subcategory"])
