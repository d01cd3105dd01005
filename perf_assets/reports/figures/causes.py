"""Table III of the paper for one's own verdicts: root causes by what they cost."""

import polars as pl

from perf_assets.base.sanitize import escape_text
from perf_assets.reports.figures.drawing import COOL, OTHER, WARM, Spec
from perf_assets.reports.figures.panels import WIDTH, colored, values

IMPACTS = {"speed": COOL, "memory": WARM, "both": "#7c3aed"}
UNKNOWN = "impact not given"
FEW = 10
"""Bugs up to which each number has its line: there is no half of one."""


def causes(rows: pl.DataFrame) -> list[Spec]:
    """Return a panel a repository: a bar a category or sub-category, a part an impact."""
    return [
        _bars(str(name), part) for (name,), part in rows.group_by("repository", maintain_order=True)
    ]


def _bars(repository: str, rows: pl.DataFrame) -> Spec:
    named = rows.with_columns(
        # The sub-categories of two categories may share a name.
        cause=pl.when(pl.col("subcategory").is_null())
        .then("category")
        .otherwise(pl.format("{}: {}", "category", "subcategory"))
    )
    known = pl.sum_horizontal(pl.col(name).fill_null(0) for name in IMPACTS)
    colors = {**IMPACTS, UNKNOWN: OTHER}
    long = (
        named.select("cause", *IMPACTS, (pl.col("bugs") - known).alias(UNKNOWN))
        .unpivot(list(colors), index="cause", variable_name="color", value_name="bugs")
        .filter(pl.col("bugs") > 0)
        .with_columns(order=pl.col("color").replace_strict({n: i for i, n in enumerate(colors)}))
    )
    most = max(named["bugs"].to_list())
    axis: Spec = {"values": list(range(most + 1))} if most <= FEW else {"tickMinStep": 1}
    shown = [name for name in colors if name in set(long["color"])]
    counts = "; ".join(f"{cause} {bugs}" for cause, bugs in named.select("cause", "bugs").rows())
    return {
        "title": escape_text(repository),
        "description": escape_text(f"Bugs by root cause: {counts}"),
        "data": {"values": values(long)},
        "width": WIDTH - 60,
        "height": 22 * named.height,
        "mark": {"type": "bar", "height": 13},
        "encoding": {
            "y": {
                "field": "cause",
                "type": "nominal",
                "sort": named["cause"].to_list(),
                "title": None,
                "axis": {
                    "labelLimit": 300,
                    "ticks": False,
                    "domain": False,
                    # A sub-category is indented and named without its category.
                    "labelExpr": "indexof(datum.label, ': ') < 0 ? datum.label : "
                    "'– ' + substring(datum.label, indexof(datum.label, ': ') + 2)",
                },
            },
            "x": {
                "aggregate": "sum",
                "field": "bugs",
                "type": "quantitative",
                "title": "bugs",
                "axis": {**axis, "format": "d"},
            },
            "color": colored(shown, colors),
            "order": {"field": "order"},
            "tooltip": [{"field": name} for name in ("cause", "color", "bugs")],
        },
    }
