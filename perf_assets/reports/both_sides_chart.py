"""Both sides of each framework as a picture. Importing what draws takes a second."""

import re

import altair as alt
import polars as pl

from perf_assets.plain import plain
from perf_assets.reports.both_sides import BothSides
from perf_assets.reports.replication.charts import Chart, as_svg

SIDES = {
    "performance_questions": ("performance questions", "#1d4ed8"),
    "performance_bugs": ("performance bugs", "#c2410c"),
}
COLORS = alt.Scale(
    domain=[name for name, _ in SIDES.values()], range=[color for _, color in SIDES.values()]
)
# What is shown as an image has one text for who cannot see it, and none within.
UNSEEN = re.compile(r' (?:aria-[a-z]+|role|class|pointer-events)="[^"]*"')
MOST = 3
"""Frameworks in one picture: more of them would make it too large to be shown inline."""


def both_sides_svg(sides: BothSides) -> str:
    """The picture of the first frameworks by name, as SVG.

    On the left the numbers of each month, on the right the correlations at each lag with the band
    around 0; dark where they are outside.
    """
    rows = [_framework(sides, *names) for names in sides.frameworks[:MOST]]
    return UNSEEN.sub("", as_svg(alt.vconcat(*rows, spacing=24)))


def _framework(sides: BothSides, repository: str, forum: str) -> Chart:
    months = sides.months.filter(repository=repository, forum=forum)
    correlations = sides.correlations.filter(repository=repository, forum=forum)
    title = plain(f"{repository} and {forum}")
    joined: Chart = alt.hconcat(_flows(months, title), _lags(correlations), spacing=36)
    return joined


def _flows(months: pl.DataFrame, title: str) -> Chart:
    long = pl.concat(
        months.select("month", number=pl.col(column), side=pl.lit(name))
        for column, (name, _) in SIDES.items()
    )
    x = alt.X("month:T", title=None, axis=alt.Axis(format="%Y-%m", labelOverlap=True))
    legend = alt.Legend(orient="top")
    lines: Chart = (
        alt.Chart(long)
        .mark_line(strokeWidth=1.8)
        .encode(
            x=x,
            y=alt.Y("number:Q", title="in the month"),
            color=alt.Color("side:N", scale=COLORS, title=None, legend=legend),
        )
        .properties(width=470, height=150, title=title)
    )
    return lines


def _lags(correlations: pl.DataFrame) -> Chart:
    known = correlations.drop_nulls("statistic").select(
        "lag", "statistic", "is_outside_band", up="band", down=-pl.col("band")
    )
    x = alt.X(
        "lag:Q",
        title="months by which bugs are later",
        scale=alt.Scale(domain=[-12.5, 12.5], nice=False),
        axis=alt.Axis(values=list(range(-12, 13, 4))),
    )
    y = alt.Y("down:Q", title="rank correlation", scale=alt.Scale(domain=[-1, 1]))
    color = alt.condition("datum.is_outside_band", alt.value("#0f172a"), alt.value("#94a3b8"))
    base = alt.Chart(known).encode(x=x)
    band = base.mark_area(opacity=0.25, color="#94a3b8").encode(y=y, y2="up:Q")
    bars = base.mark_bar(size=6).encode(y="statistic:Q", color=color)
    layered: Chart = alt.layer(band, bars).properties(width=250, height=150)
    return layered
