"""Findings of the static checks over quarters as a picture. Importing what draws takes a second."""

import altair as alt
import polars as pl

from perf_assets.plain import plain
from perf_assets.reports.both_sides_chart import UNSEEN
from perf_assets.reports.charts import COLORS
from perf_assets.reports.replication.charts import Chart, as_svg
from perf_assets.reports.static_findings import StaticFindings

MOST = 3
"""Repositories in one picture: more of them would make it too large to be shown inline."""

FEW = 10
"""Findings up to which each number has its line: there is no half of one."""


def findings_svg(found: StaticFindings) -> str:
    """The first repositories with findings by name, as SVG: a bar a quarter, a part a rule."""
    rows = found.rows.filter(pl.col("findings").sum().over("repository") > 0)
    shown = rows.get_column("repository").unique().sort()[:MOST]
    panels = [_panel(rows.filter(repository=name), name) for name in shown]
    return UNSEEN.sub("", as_svg(alt.vconcat(*panels, spacing=24)))


def _panel(rows: pl.DataFrame, repository: str) -> Chart:
    rules = rows.filter(pl.col("findings").sum().over("rule") > 0)
    most = int(rules.group_by("quarter").agg(pl.col("findings").sum())["findings"].max() or 0)  # type: ignore[arg-type]
    whole = list(range(most + 1)) if most <= FEW else alt.Undefined
    bars: Chart = (
        alt.Chart(rules.select("quarter", "rule", "findings"))
        .mark_bar()
        .encode(
            x=alt.X(
                "quarter:O",
                title=None,
                axis=alt.Axis(labelOverlap=True, labelSeparation=8, labelAngle=0),
            ),
            y=alt.Y("findings:Q", title="findings", axis=alt.Axis(values=whole)),
            color=alt.Color(
                "rule:N",
                title=None,
                scale=alt.Scale(range=COLORS),
                legend=alt.Legend(orient="top"),
            ),
        )
        .properties(width=470, height=150, title=plain(repository))
    )
    return bars
