"""The forms of picture that the figures have: series of months, estimates with intervals, bars."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from perf_assets.base.sanitize import escape_text
from perf_assets.reports.figures.drawing import AXIS, COLORS, INK, OTHER, Spec, over_time

WIDTH = 380
LONG = 120
"""Rows of a series from which on its intervals are drawn by the quarter, to keep pictures small."""

ROW = 22
"""Pixels in height of an estimate."""


def colored(names: Sequence[str], colors: Mapping[str, str] | None = None) -> Spec:
    """Return a colour for each of ``names``, with a legend on top where there are several."""
    color_of = colors or dict(zip(names, COLORS * (1 + len(names) // len(COLORS)), strict=False))
    legend = {"orient": "top", "direction": "horizontal", "columns": 3, "labelLimit": 300}
    return {
        "field": "color",
        "type": "nominal",
        "title": None,
        "scale": {"domain": list(names), "range": [color_of[name] for name in names]},
        "legend": legend if len(names) > 1 else None,
    }


def series(title: str, rows: pl.DataFrame, measure: str, colors: Mapping[str, str]) -> Spec:
    """Lines over months; columns month, color, value, and for intervals counts, low and high."""
    has_intervals = "low" in rows.columns
    tooltip = [
        {"field": "month", "type": "nominal", "title": "month"},
        {"field": "color", "type": "nominal", "title": "series"},
        {"field": "value", "type": "quantitative", "title": measure, "format": ",.4~r"},
        *([{"field": "counts", "type": "nominal"}] if has_intervals else []),
    ]
    axis = {"format": "%Y-%m", "labelOverlap": True, "labelSeparation": 10}
    x = over_time("month", axis)
    y: Spec = {"field": "value", "type": "quantitative", "title": measure}
    color = colored(list(colors), colors)
    band = {
        "data": {"values": values(_thinned(rows)) if has_intervals else []},
        "mark": {"type": "area", "opacity": 0.15},
        "encoding": {"x": x, "y": y | {"field": "low"}, "y2": {"field": "high"}, "color": color},
    }
    return {
        "title": escape_text(title),
        "description": course(rows, measure),
        "data": {"values": values(rows)},
        "width": WIDTH,
        "height": 190,
        "layer": [
            *([band] * has_intervals),
            {
                "mark": {"type": "line", "strokeWidth": 2},
                "encoding": {"x": x, "y": y, "color": color, "tooltip": tooltip},
            },
        ],
    }


def _thinned(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of a long series, every third month and the last: intervals change slowly."""
    if rows.height <= LONG:
        return rows
    months = rows["month"].unique().sort()
    kept = [*months.gather_every(3), months[-1]]
    return rows.filter(pl.col("month").is_in(kept))


def estimates(
    title: str,
    rows: pl.DataFrame,
    measure: str,
    *,
    nothing: float | None = None,
    is_factor: bool = False,
    colors: Mapping[str, str] | None = None,
) -> Spec:
    """Estimates with their intervals, a line each; columns what, estimate, low, high, maybe color.

    ``nothing`` is the value of no difference; factors stand on a logarithmic scale.
    """
    drawn = rows if "color" in rows.columns else rows.with_columns(color=pl.lit(""))
    drawn = drawn.select("what", "color", "estimate", "low", "high").drop_nulls("estimate")
    if is_factor:
        drawn = drawn.filter(pl.col("estimate") > 0, pl.col("low").fill_null(1) > 0)
    names = drawn["color"].unique(maintain_order=True).to_list()
    order = drawn["what"].unique(maintain_order=True).to_list()
    scale: Spec = {"padding": 14, "nice": False}
    scale |= {"type": "log"} if is_factor else {"zero": False}
    y: Spec = {"field": "what", "type": "nominal", "sort": order, "title": None}
    encoding: Spec = {
        "y": y | {"axis": {"domain": False, "ticks": False, "labelPadding": 6}},
        "color": colored(names, colors) if len(names) > 1 else {"value": COLORS[0]},
        "tooltip": [
            {"field": "what", "type": "nominal"},
            *([{"field": "color", "type": "nominal", "title": "by"}] if len(names) > 1 else []),
            {"field": "estimate", "type": "quantitative", "format": ".3~r"},
            {"field": "low", "type": "quantitative", "format": ".3~r"},
            {"field": "high", "type": "quantitative", "format": ".3~r"},
        ],
    }
    if len(names) > 1:
        encoding["yOffset"] = {"field": "color", "type": "nominal", "sort": names}
    axis = {"tickCount": 5, "labelOverlap": True} | ({"format": ".3~r"} if is_factor else {})
    x: Spec = {"type": "quantitative", "title": measure, "scale": scale, "axis": axis}
    layers: list[Spec] = []
    if nothing is not None:
        layers.append(
            {
                "mark": {"type": "rule", "color": AXIS, "strokeDash": [4, 3]},
                "data": {"values": [{"nothing": nothing}]},
                "encoding": {"x": x | {"field": "nothing"}},
            }
        )
    if drawn["low"].count():
        layers.append(
            {
                "mark": {"type": "rule", "strokeWidth": 2},
                "encoding": encoding | {"x": x | {"field": "low"}, "x2": {"field": "high"}},
            }
        )
    layers.append(
        {
            "mark": {"type": "point", "filled": True, "size": 55, "opacity": 1},
            "encoding": encoding | {"x": x | {"field": "estimate"}},
        }
    )
    values_text = (
        f"{' '.join(filter(None, (row['what'], row['color'])))} {row['estimate']:.3g}"
        + (f" [{row['low']:.3g}, {row['high']:.3g}]" if row["low"] is not None else "")
        for row in drawn.iter_rows(named=True)
    )
    return {
        "title": escape_text(title),
        "description": escape_text(f"{measure}: {'; '.join(values_text)}"),
        "data": {"values": values(drawn)},
        "width": WIDTH - 60,
        "height": max(44, ROW * len(order) * max(1.0, 0.5 * len(names))),
        "layer": layers,
    }


def lengths(title: str, rows: pl.DataFrame, measure: str, strong: str = "") -> Spec:
    """Bars from 0 to a number, a line each; columns what, value; that of ``strong`` is dark."""
    order = rows["what"].to_list()
    values_text = "; ".join(
        f"{what} {value:.3g}" for what, value in rows.select("what", "value").rows()
    )
    return {
        "title": escape_text(title),
        "description": escape_text(f"{measure}: {values_text}"),
        "data": {"values": values(rows.select("what", "value"))},
        "width": WIDTH - 60,
        "height": ROW * len(order),
        "mark": {"type": "bar", "height": 12},
        "encoding": {
            "y": {
                "field": "what",
                "type": "nominal",
                "sort": order,
                "title": None,
                "axis": {"domain": False, "ticks": False},
            },
            "x": {
                "field": "value",
                "type": "quantitative",
                "title": measure,
                "axis": {"tickCount": 5},
            },
            "color": {
                "condition": {"test": f"datum.what == '{strong}'", "value": INK},
                "value": OTHER,
            },
            "tooltip": [
                {"field": "what", "type": "nominal"},
                {"field": "value", "type": "quantitative", "title": measure, "format": ".3~r"},
            ],
        },
    }


def course(rows: pl.DataFrame, measure: str) -> str:
    """Return where each line begins and ends, and its highest point."""
    courses = []
    for (name,), part in rows.drop_nulls("value").group_by("color", maintain_order=True):
        first, last = part.row(0, named=True), part.row(-1, named=True)
        top = part.row(int(part["value"].arg_max() or 0), named=True)
        courses.append(
            f"{name} from {first['value']:.3g} in {first['month']} to {last['value']:.3g} in "
            f"{last['month']}, highest {top['value']:.3g} in {top['month']}"
        )
    return escape_text(f"{measure}: {'; '.join(courses)}")


def values(rows: pl.DataFrame) -> list[dict[str, Any]]:
    """Return rows for a chart: texts of strangers on one line, numbers to five digits."""
    return [
        {
            name: escape_text(value)
            if isinstance(value, str)
            else float(f"{value:.5g}")
            if isinstance(value, float)
            else value
            for name, value in row.items()
        }
        for row in rows.iter_rows(named=True)
    ]
