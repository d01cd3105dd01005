"""The forms of picture that the figures have: series of months, estimates with intervals, bars."""

from collections.abc import Callable, Mapping, Sequence
from string import Formatter
from typing import Any, Concatenate, ParamSpec

import polars as pl

from perf_assets.base.sanitize import escape_text
from perf_assets.reports.figures.drawing import AXIS, COLORS, INK, OTHER, Spec, over_time

P = ParamSpec("P")

WIDTH = 380
NARROW = WIDTH - 60
"""Pixels in width of a panel with names beside it."""

EVENT = "event"
MARKS = ("labelling changed", EVENT)
"""The colors of rows that mark a month: a change of the way of labelling, or what happened."""

LONG = 120
"""Rows of a series from which on its intervals are drawn by the quarter, to keep pictures small."""

ROW = 22
"""Pixels in height of an estimate."""

PLAIN: Spec = {"domain": False, "ticks": False}
"""An axis of names without a line."""


def panels(
    draw: Callable[Concatenate[str, pl.DataFrame, P], Spec],
    rows: pl.DataFrame,
    title: str,
    *arguments: P.args,
    **options: P.kwargs,
) -> list[Spec]:
    """Return a panel for each group of ``rows``; ``title`` names the columns by which they differ.

    ``"{repository}, {metric}"`` gives a panel for each repository and metric.
    """
    columns = [name for _, name, *_ in Formatter().parse(title) if name]
    return [
        draw(title.format(**dict(zip(columns, values, strict=True))), part, *arguments, **options)
        for values, part in rows.group_by(columns, maintain_order=True)
    ]


def panel(
    title: str, description: str, rows: pl.DataFrame, width: int, height: float, **content: object
) -> Spec:
    """Return a chart over ``rows``; ``content`` is its mark and encoding, or its layers."""
    return {
        "title": escape_text(title),
        "description": escape_text(description),
        "data": {"values": values(rows)},
        "width": width,
        "height": height,
        **content,
    }


def quantity(field: str, **channel: object) -> Spec:
    """Return the channel of a column of numbers."""
    return {"field": field, "type": "quantitative", **channel}


def category(field: str, **channel: object) -> Spec:
    """Return the channel of a column of words."""
    return {"field": field, "type": "nominal", **channel}


def colored(names: Sequence[str], colors: Mapping[str, str] | None = None) -> Spec:
    """Return a colour for each of ``names``, with a legend on top where there are several."""
    color_of = colors or dict(zip(names, COLORS * (1 + len(names) // len(COLORS)), strict=False))
    legend = {"orient": "top", "direction": "horizontal", "columns": 3, "labelLimit": 300}
    return category(
        "color",
        title=None,
        scale={"domain": list(names), "range": [color_of[name] for name in names]},
        legend=legend if len(names) > 1 else None,
    )


def stacked(down: Spec, across: Spec, color: Spec, height: int) -> Spec:
    """Return bars with a part for each colour, in the order of the column ``order``."""
    tooltip = [{"field": name} for name in (down["field"], "color", across["field"])]
    return {
        "mark": {"type": "bar", "height": height},
        "encoding": {
            "y": down,
            "x": across,
            "color": color,
            "order": {"field": "order"},
            "tooltip": tooltip,
        },
    }


def counted(most: int) -> Spec:
    """Return an axis of counts up to ``most``; each number of a few has its line."""
    return {"values": list(range(most + 1))} if most <= 10 else {}


def without_marks(rows: pl.DataFrame, x: Spec) -> tuple[list[Spec], pl.DataFrame]:
    """Return rules at the months that are marked, and the other rows.

    A mark is a row whose color is one of :data:`MARKS`; its counts says what changed.
    """
    is_mark = pl.col("color").is_in(MARKS)
    changed = rows.filter(is_mark)
    if changed.is_empty():
        return [], rows
    what = category("counts", title=changed["color"][0])
    rule: Spec = {
        "data": {"values": values(changed.select("month", "color", "counts"))},
        "mark": {"type": "rule", "color": AXIS, "strokeDash": [2, 3]},
        "encoding": {"x": x, "tooltip": [category("month"), what]},
    }
    return [rule], rows.filter(~is_mark)


def series(title: str, rows: pl.DataFrame, measure: str, colors: Mapping[str, str]) -> Spec:
    """Lines over months; columns month, color, value, and for intervals counts, low and high.

    Rows of the colors :data:`MARKS` are marks, see :func:`without_marks`.
    """
    has_intervals = "low" in rows.columns
    tooltip = [
        category("month", title="month"),
        category("color", title="series"),
        quantity("value", title=measure, format=",.4~r"),
        *([category("counts")] if has_intervals else []),
    ]
    x = over_time("month", {"format": "%Y-%m", "labelOverlap": True, "labelSeparation": 10})
    y = quantity("value", title=measure)
    color = colored(list(colors), colors)
    marks, rows = without_marks(rows, x)
    band = {
        "data": {"values": values(_thinned(rows)) if has_intervals else []},
        "mark": {"type": "area", "opacity": 0.15},
        "encoding": {"x": x, "y": y | {"field": "low"}, "y2": {"field": "high"}, "color": color},
    }
    line = {
        "mark": {"type": "line", "strokeWidth": 2},
        "encoding": {"x": x, "y": y, "color": color, "tooltip": tooltip},
    }
    layer = [*marks, band, line] if has_intervals else [*marks, line]
    return panel(title, course(rows, measure), rows, WIDTH, 190, layer=layer)


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
    has_colors = len(names) > 1
    encoding: Spec = {
        "y": category("what", sort=order, title=None, axis=PLAIN | {"labelPadding": 6}),
        "color": colored(names, colors) if has_colors else {"value": COLORS[0]},
        "tooltip": [
            category("what"),
            *([category("color", title="by")] if has_colors else []),
            *(quantity(name, format=".3~r") for name in ("estimate", "low", "high")),
        ],
    }
    if has_colors:
        encoding["yOffset"] = category("color", sort=names)
    scale: Spec = {"padding": 14, "nice": False}
    scale |= {"type": "log"} if is_factor else {"zero": False}
    axis = {"tickCount": 5, "labelOverlap": True} | ({"format": ".3~r"} if is_factor else {})
    x = quantity("estimate", title=measure, scale=scale, axis=axis)
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
    point = {"type": "point", "filled": True, "size": 55, "opacity": 1}
    layers.append({"mark": point, "encoding": encoding | {"x": x}})
    sentences = (
        f"{' '.join(filter(None, (row['what'], row['color'])))} {row['estimate']:.3g}"
        + (f" [{row['low']:.3g}, {row['high']:.3g}]" if row["low"] is not None else "")
        for row in drawn.iter_rows(named=True)
    )
    height = max(44, ROW * len(order) * max(1.0, 0.5 * len(names)))
    return panel(title, f"{measure}: {'; '.join(sentences)}", drawn, NARROW, height, layer=layers)


def lengths(title: str, rows: pl.DataFrame, measure: str, strong: str = "") -> Spec:
    """Bars from 0 to a number, a line each; columns what, value; that of ``strong`` is dark."""
    drawn = rows.select("what", "value")
    sentences = "; ".join(f"{what} {value:.3g}" for what, value in drawn.rows())
    is_strong = {"test": f"datum.what == '{strong}'", "value": INK}
    return panel(
        title,
        f"{measure}: {sentences}",
        drawn,
        NARROW,
        ROW * rows.height,
        mark={"type": "bar", "height": 12},
        encoding={
            "y": category("what", sort=rows["what"].to_list(), title=None, axis=PLAIN),
            "x": quantity("value", title=measure, axis={"tickCount": 5}),
            "color": {"condition": is_strong, "value": OTHER},
            "tooltip": [category("what"), quantity("value", title=measure, format=".3~r")],
        },
    )


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
    return f"{measure}: {'; '.join(courses)}"


def values(rows: pl.DataFrame) -> list[dict[str, Any]]:
    """Return rows for a chart: texts of strangers on one line, numbers to five digits."""
    return [{name: _shown(value) for name, value in row.items()} for row in rows.to_dicts()]


def _shown(value: object) -> object:
    if isinstance(value, float):
        return float(f"{value:.5g}")
    return escape_text(value) if isinstance(value, str) else value
