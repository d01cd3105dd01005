"""Cumulative incidence of fixes and closes as a picture. Importing what draws takes a second."""

import altair as alt
import polars as pl

from perf_assets.plain import plain
from perf_assets.reports.both_sides_chart import UNSEEN
from perf_assets.reports.replication.charts import KIND_COLORS, Chart, as_svg

MOST = 4
"""Repositories in one picture: more of them would make it too large to be shown inline."""

EVENT_TITLES = {"fixed": "fixed", "closed_without_fix": "closed without a fix"}


def fix_curves_svg(rows: pl.DataFrame) -> str:
    """The first repositories by name as SVG, a panel for each end: shares with their intervals."""
    shown = rows.get_column("repository").unique().sort()[:MOST]
    panels = [
        alt.hconcat(
            *(_panel(rows.filter(repository=name, event=event), event) for event in EVENT_TITLES),
            spacing=30,
            title=alt.Title(plain(name), anchor="start"),
        )
        for name in shown
    ]
    return UNSEEN.sub("", as_svg(alt.vconcat(*panels, spacing=24)))


def _panel(rows: pl.DataFrame, event: str) -> Chart:
    kinds = list(KIND_COLORS)
    points = rows.select(
        "days",
        "share",
        low=pl.col("share_low").fill_null(pl.col("share")),
        high=pl.col("share_high").fill_null(pl.col("share")),
        kind=pl.when("is_performance").then(pl.lit(kinds[0])).otherwise(pl.lit(kinds[1])),
    )
    color = alt.Color(
        "kind:N",
        title=None,
        scale=alt.Scale(domain=kinds, range=list(KIND_COLORS.values())),
        legend=alt.Legend(orient="top"),
    )
    x = alt.X("days:Q", title="days after the report")
    title = f"{EVENT_TITLES[event]}, percent"
    base = alt.Chart(points)
    band = base.mark_area(opacity=0.18, interpolate="step-after").encode(
        x=x, y=alt.Y("low:Q", title=title), y2="high:Q", color=color
    )
    line = base.mark_line(strokeWidth=2, interpolate="step-after").encode(
        x=x, y=alt.Y("share:Q", title=title), color=color
    )
    return alt.layer(band, line).properties(width=300, height=180)
