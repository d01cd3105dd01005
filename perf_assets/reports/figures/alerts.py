"""The figure of alerts: the months around each change, its two levels, and the issues behind it."""

import polars as pl

from perf_assets.reports.figures.drawing import COOL, WARM, Spec
from perf_assets.reports.figures.panels import panels, series

COLORS = {"by month": COOL, "level": WARM}
MEASURES = {
    "opened_share": "performance bugs among new reports, percent",
    "backlog_growth": "open performance bugs",
    "hours_to_first_comment": "hours to the first comment, median",
    "fix_time_days": "days until fixed, median",
}


def changes(rows: pl.DataFrame) -> list[Spec]:
    """Return a panel an alert, the newest first."""
    return panels(_panel, rows, "{alert_id}")


def _panel(_: str, rows: pl.DataFrame) -> Spec:
    first = rows.row(0, named=True)
    where = " ".join(filter(None, (first["repository"], first["area"])))
    drawn = rows.select("month", "color", "value", "counts", "low", "high")
    if not drawn["low"].count():
        drawn = drawn.drop("low", "high")
    colors = {name: COLORS[name] for name in COLORS if name in set(drawn["color"])}
    return series(f"{where}: {first['changed']}", drawn, MEASURES[first["series"]], colors)
