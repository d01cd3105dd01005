"""Table II of the paper for one's own data: medians, tests, and the distributions behind them."""

from collections.abc import Mapping

import polars as pl

from perf_assets.reports.figures.drawing import KINDS, Spec
from perf_assets.reports.figures.panels import WIDTH, colored, values

METRIC_TITLES = {
    "fix_time_days": "fix time (days)",
    "fix_size": "fix size (lines)",
    "hours_to_first_comment": "time to first comment (hours)",
    "comments": "comments",
    "commentators": "commentators",
}


def distributions(rows: pl.DataFrame) -> list[Spec]:
    """Return a panel a metric, the share of bugs of each kind up to each value."""
    performance, other = KINDS
    kind = pl.when("is_performance").then(pl.lit(performance)).otherwise(pl.lit(other))
    panels = []
    for (metric,), part in rows.with_columns(color=kind).group_by("metric", maintain_order=True):
        medians = dict(part.select("color", "median").unique(maintain_order=True).iter_rows())
        panels.append(distribution(str(metric), part, medians))
    return panels


def distribution(metric: str, points: pl.DataFrame, medians: Mapping[str, float]) -> Spec:
    """Share of bug reports up to each value, on a logarithmic scale, and medians as rules.

    ``points`` has color (the kind of bugs), share and value.
    """
    rules = [{"color": kind, "value": float(f"{value:.5g}")} for kind, value in medians.items()]
    x: Spec = {
        "field": "value",
        "type": "quantitative",
        "title": METRIC_TITLES[metric],
        "scale": {"type": "symlog", "constant": _constant(metric), "nice": False},
        "axis": {"values": _ticks(metric), "labelExpr": "datum.value", "labelOverlap": True},
    }
    color = colored(list(KINDS), KINDS)
    description = "; ".join(f"median of {kind} {value:.3g}" for kind, value in medians.items())
    return {
        "title": METRIC_TITLES[metric].partition(" (")[0],
        "description": f"Share of bug reports up to each value; {description}",
        "data": {"values": values(points.select("color", "share", "value"))},
        "width": WIDTH,
        "height": 190,
        "layer": [
            {
                "mark": {"type": "line", "strokeWidth": 2},
                "encoding": {
                    "x": x,
                    "y": {
                        "field": "share",
                        "type": "quantitative",
                        "title": "share up to here",
                        "axis": {"format": "%"},
                    },
                    "color": color,
                    "tooltip": [
                        {"field": "color", "type": "nominal", "title": "of"},
                        {"field": "value", "type": "quantitative", "format": ".3~r"},
                        {"field": "share", "type": "quantitative", "format": ".0%"},
                    ],
                },
            },
            {
                "data": {"values": rules},
                "mark": {"type": "rule", "strokeDash": [4, 3], "strokeWidth": 1.5},
                "encoding": {"x": x, "color": color},
            },
        ],
    }


def _constant(metric: str) -> float:
    return 0.1 if metric in ("fix_time_days", "hours_to_first_comment") else 1.0


def _ticks(metric: str) -> list[float]:
    if metric in ("comments", "commentators"):
        return [0, 1, 2, 5, 10, 20, 50]
    return [0, *([0.1] if _constant(metric) < 1 else []), 1, 10, 100, 1000, 10000]
