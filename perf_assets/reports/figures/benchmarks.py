"""Figures of benchmarks: what they measured, and when somebody reported it."""

import polars as pl

from perf_assets.reports.figures.drawing import COOL, SOFT, Spec, over_time
from perf_assets.reports.figures.panels import EVENT, category, panels, series, values

LINE = 14  # pixels between the words of two events
MEASURE = "factor of the level before"


def regressions(rows: pl.DataFrame) -> list[Spec]:
    """Return a panel for each repository: a series of results, and what happened when."""
    return panels(_regression, rows, "{repository}")


def _regression(repository: str, rows: pl.DataFrame) -> Spec:
    drawn = rows.select("month", "color", "value", "counts")
    spec = series(f"{repository}: {rows['series'][0]}", drawn, MEASURE, {"measured": COOL})
    events = drawn.filter(color=EVENT).select("month", "counts")
    words: list[Spec] = [
        {
            "data": {"values": values(events[place])},
            "mark": {"type": "text", "align": "left", "dx": 4, "baseline": "top", "color": SOFT},
            "encoding": {
                "x": over_time("month", {}),
                "y": {"value": 100 + LINE * place},  # below the line of the slower level
                "text": category("counts"),
            },
        }
        for place in range(events.height)
    ]
    return spec | {"layer": [*spec["layer"], *words]}
