"""Table II of the paper for one's own data: medians, tests, and the distributions behind them."""

from collections.abc import Mapping

import polars as pl

from perf_assets.reports.figures.drawing import KINDS, Spec
from perf_assets.reports.figures.panels import (
    WIDTH,
    category,
    colored,
    panel,
    panels,
    quantity,
)

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
    return panels(_with_medians, rows.with_columns(color=kind), "{metric}")


def _with_medians(metric: str, rows: pl.DataFrame) -> Spec:
    medians = rows.select("color", "median").unique(maintain_order=True)
    return distribution(metric, rows, dict(medians.iter_rows()))


def distribution(metric: str, points: pl.DataFrame, medians: Mapping[str, float]) -> Spec:
    """Share of bug reports up to each value, on a logarithmic scale, and medians as rules.

    ``points`` has color (the kind of bugs), share and value.
    """
    rules = [{"color": kind, "value": float(f"{value:.5g}")} for kind, value in medians.items()]
    is_fine = metric in ("fix_time_days", "hours_to_first_comment")
    ticks = [0, *([0.1] if is_fine else []), 1, 10, 100, 1000, 10000]
    if metric in ("comments", "commentators"):
        ticks = [0, 1, 2, 5, 10, 20, 50]
    x = quantity(
        "value",
        title=METRIC_TITLES[metric],
        scale={"type": "symlog", "constant": 0.1 if is_fine else 1.0, "nice": False},
        axis={"values": ticks, "labelExpr": "datum.value", "labelOverlap": True},
    )
    color = colored(list(KINDS), KINDS)
    description = "; ".join(f"median of {kind} {value:.3g}" for kind, value in medians.items())
    return panel(
        METRIC_TITLES[metric].partition(" (")[0],
        f"Share of bug reports up to each value; {description}",
        points.select("color", "share", "value"),
        WIDTH,
        190,
        layer=[
            {
                "mark": {"type": "line", "strokeWidth": 2},
                "encoding": {
                    "x": x,
                    "y": quantity("share", title="share up to here", axis={"format": "%"}),
                    "color": color,
                    "tooltip": [
                        category("color", title="of"),
                        quantity("value", format=".3~r"),
                        quantity("share", format=".0%"),
                    ],
                },
            },
            {
                "data": {"values": rules},
                "mark": {"type": "rule", "strokeDash": [4, 3], "strokeWidth": 1.5},
                "encoding": {"x": x, "color": color},
            },
        ],
    )
