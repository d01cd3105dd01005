"""The pictures of the replication report, as SVG: they need no script and open anywhere."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import altair as alt
import numpy as np
import polars as pl
import vl_convert

from perf_assets.core.analyses.comparisons import metric_samples
from perf_assets.core.paper.figures import PaperTables

Chart: TypeAlias = alt.Chart | alt.LayerChart | alt.FacetChart | alt.HConcatChart | alt.VConcatChart

SERIES_COLORS = {"open": "#c2410c", "fixed": "#1d4ed8"}
KIND_COLORS = {"performance bugs": "#c2410c", "other bugs": "#64748b"}
IMPACT_COLORS = {"speed": "#1d4ed8", "memory": "#c2410c", "both": "#7c3aed"}
METRIC_TITLES = {
    "fix_time_days": "fix time (days)",
    "fix_size": "fix size (lines)",
    "hours_to_first_comment": "time to first comment (hours)",
    "comments": "comments",
    "commentators": "commentators",
}
QUANTILES = 200
"""Points of a drawn distribution."""


def as_svg(chart: Chart) -> str:
    """The chart as an SVG element."""
    styled = chart.configure(
        font="Helvetica, Arial, sans-serif",
        background="white",
        axis=alt.AxisConfig(
            labelFontSize=12, titleFontSize=12, gridColor="#e2e8f0", domainColor="#94a3b8"
        ),
        legend=alt.LegendConfig(labelFontSize=12, titleFontSize=12),
        title=alt.TitleConfig(fontSize=14, anchor="start"),
        view=alt.ViewConfig(stroke=None),
    )
    return str(vl_convert.vegalite_to_svg(styled.to_dict()))


def figure_1(trend: pl.DataFrame) -> Chart:
    """Open and fixed percentages of each framework: published as lines, reproduced as points."""
    panels = [
        _trend_panel(repository, trend.filter(repository=repository))
        for repository in trend.get_column("repository").unique().sort()
    ]
    chart: Chart = alt.hconcat(*panels, spacing=40).resolve_scale(y="shared")
    return chart


def distributions(bugs: pl.DataFrame) -> Chart:
    """Share of bug reports up to each value, performance bugs beside the others, all metrics."""
    panels = [_distribution_panel(bugs, metric) for metric in METRIC_TITLES]
    rows = [alt.hconcat(*panels[:3], spacing=40), alt.hconcat(*panels[3:], spacing=40)]
    chart: Chart = alt.vconcat(*rows, spacing=30).resolve_scale(color="shared")
    return chart


def taxonomy(table_3: Sequence[PaperTables], rows: pl.DataFrame) -> Chart:
    """Table III: bars by impact as published, a mark where the rows of the data end."""
    names = [_indented(entry) for entry in table_3]
    published = pl.DataFrame(
        [
            {"cause": name, "impact": impact, "bugs": int(entry[impact]), "order": order}
            for name, entry in zip(names, table_3, strict=True)
            for order, impact in enumerate(IMPACT_COLORS)
        ]
    )
    counted = pl.DataFrame(
        [
            {"cause": name, "rows": _rows_of(entry, rows)}
            for name, entry in zip(names, table_3, strict=True)
        ]
    )
    axis = alt.Axis(
        labelLimit=420, labelAlign="left", labelPadding=345, title=None, ticks=False, domain=False
    )
    cause = alt.Y("cause:N", sort=names, axis=axis)
    bars = alt.Chart(published).encode(
        y=cause,
        x=alt.X("sum(bugs):Q", title="bugs"),
        color=alt.Color(
            "impact:N",
            scale=_colors(IMPACT_COLORS),
            legend=alt.Legend(title="published, by impact", orient="right"),
        ),
        order=alt.Order("order:Q"),
    )
    marks = alt.Chart(counted).encode(
        y=cause,
        x=alt.X("rows:Q"),
        shape=alt.ShapeValue("stroke"),
        detail=alt.Detail("rows:Q"),
    )
    tick = marks.mark_tick(color="#0f172a", thickness=2.5, height=16)
    return alt.layer(bars.mark_bar(height=13), tick).properties(width=560, height=680)


def _trend_panel(repository: str, trend: pl.DataFrame) -> Chart:
    long = trend.unpivot(
        ["published_percentage", "reproduced_percentage"],
        index=["series", "month"],
        variable_name="source",
        value_name="percentage",
    ).with_columns(pl.col("source").str.strip_suffix("_percentage"))
    base = alt.Chart(long).encode(
        x=alt.X("month:T", title=None, axis=alt.Axis(format="%Y", tickCount="year")),
        y=alt.Y("percentage:Q", title="performance bugs, percent"),
        color=alt.Color("series:N", scale=_colors(SERIES_COLORS), title="bug reports"),
    )
    line = base.transform_filter(alt.datum.source == "published").mark_line(strokeWidth=2.5)
    points = base.transform_filter(alt.datum.source == "reproduced").mark_point(
        size=22, filled=False, strokeWidth=1.2, opacity=0.9
    )
    return alt.layer(line, points).properties(width=440, height=280, title=repository)


def _distribution_panel(bugs: pl.DataFrame, metric: str) -> Chart:
    samples = dict(zip(KIND_COLORS, metric_samples(bugs, metric), strict=True))
    rows = list(_cumulative(samples))
    medians = [
        {"kind": kind, "value": float(np.median(sample.to_numpy()))}
        for kind, sample in samples.items()
        if len(sample)
    ]
    scale = alt.Scale(type="symlog", constant=_constant(metric), nice=False)
    color = alt.Color("kind:N", scale=_colors(KIND_COLORS), title=None)
    axis = alt.Axis(values=_ticks(metric), labelExpr="datum.value", labelOverlap=True)
    x = alt.X("value:Q", scale=scale, title=METRIC_TITLES[metric], axis=axis)
    y = alt.Y("share:Q", title="share up to here", axis=alt.Axis(format="%"))
    line = alt.Chart(pl.DataFrame(rows)).mark_line(strokeWidth=2).encode(x=x, y=y, color=color)
    rule = alt.Chart(pl.DataFrame(medians)).mark_rule(strokeDash=[4, 3], strokeWidth=1.5)
    return alt.layer(line, rule.encode(x="value:Q", color=color)).properties(width=280, height=190)


def _cumulative(samples: dict[str, pl.Series]) -> Iterator[dict[str, Any]]:
    shares = np.linspace(0, 0.99, QUANTILES)  # the last percent would stretch the axis
    for kind, sample in samples.items():
        if len(sample):
            values = np.quantile(sample.to_numpy(), shares)
            for share, value in zip(shares, values, strict=True):
                yield {"kind": kind, "share": float(share), "value": float(value)}


def _constant(metric: str) -> float:
    return 0.1 if metric in ("fix_time_days", "hours_to_first_comment") else 1.0


def _ticks(metric: str) -> list[float]:
    if metric in ("comments", "commentators"):
        return [0, 1, 2, 5, 10, 20, 50]
    return [0, *([0.1] if _constant(metric) < 1 else []), 1, 10, 100, 1000, 10000]


def _colors(colors: dict[str, str]) -> alt.Scale:
    return alt.Scale(domain=list(colors), range=list(colors.values()))


def _indented(entry: PaperTables) -> str:
    subcategory = entry.get("subcategory")
    return str(entry["category"]) if subcategory is None else f"– {subcategory}"


def _rows_of(entry: PaperTables, rows: pl.DataFrame) -> int:
    found = rows.filter(category=entry["category"])
    if "subcategory" in entry:
        found = found.filter(subcategory=entry["subcategory"])
    return found.height
