"""Steps of the paper over one's own data: the funnel of bug reports, and its test of the trend."""

import polars as pl

from perf_assets.base.sanitize import escape_text
from perf_assets.reports.figures.drawing import OTHER, WARM, Spec
from perf_assets.reports.figures.panels import WIDTH, colored, values

STEPS = ("issues", "bug reports", "closed bug reports", "fixed bug reports")
"""What is counted at each step (Makkouk et al., section III)."""

PARTS = {"performance bugs": WARM, "all others": OTHER}


def funnel(rows: pl.DataFrame) -> list[Spec]:
    """Return a panel a repository: a bar a step, of which performance bugs are the dark part."""
    return [
        _bars(str(name), part) for (name,), part in rows.group_by("repository", maintain_order=True)
    ]


def _bars(repository: str, rows: pl.DataFrame) -> Spec:
    performance, others = PARTS
    long = pl.concat(
        rows.select("step", bugs=bugs, color=pl.lit(name), order=pl.lit(order))
        for order, (name, bugs) in enumerate(
            {
                performance: pl.col("performance_bugs"),
                others: pl.col("n") - pl.col("performance_bugs"),
            }.items()
        )
    )
    step: Spec = {
        "field": "step",
        "type": "nominal",
        "sort": list(STEPS),
        "title": None,
        "axis": {"domain": False, "ticks": False},
    }
    labels = rows.select(
        "step", "n", text=pl.format("{} of {}", pl.col("performance_bugs"), pl.col("n"))
    )
    counts = "; ".join(
        f"{name} {n:,}, of which {k:,} performance bugs"
        for name, n, k in rows.select("step", "n", "performance_bugs").rows()
    )
    return {
        "title": escape_text(repository),
        "description": escape_text(counts),
        "data": {"values": values(long)},
        "width": WIDTH - 60,
        "height": 30 * rows.height,
        "layer": [
            {
                "mark": {"type": "bar", "height": 18},
                "encoding": {
                    "y": step,
                    "x": {
                        "aggregate": "sum",
                        "field": "bugs",
                        "type": "quantitative",
                        "title": "reports",
                    },
                    "color": colored(list(PARTS), PARTS),
                    "order": {"field": "order"},
                    "tooltip": [{"field": name} for name in ("step", "color", "bugs")],
                },
            },
            {
                "data": {"values": values(labels)},
                "mark": {"type": "text", "align": "left", "dx": 4, "fontSize": 11},
                "encoding": {
                    "y": step,
                    "x": {"field": "n", "type": "quantitative"},
                    "text": {"field": "text"},
                },
            },
        ],
    }
