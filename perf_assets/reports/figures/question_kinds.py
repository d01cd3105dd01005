"""Figures of kinds of questions: the share of each, and how long each waits for its answer."""

import polars as pl

from perf_assets.base.sanitize import escape_text
from perf_assets.reports.figures.drawing import Spec
from perf_assets.reports.figures.panels import ROW, WIDTH, colored, estimates, values
from perf_assets.reports.formats import with_words


def shares(rows: pl.DataFrame) -> list[Spec]:
    """Return the share of each kind, a panel for each tag set."""
    named = with_words(rows.with_columns(what="kind"))
    return [
        estimates(f"{forum}, {tags}", part, "share of the questions, percent")
        for (forum, tags), part in named.group_by("forum", "tag_set", maintain_order=True)
    ]


def waits(rows: pl.DataFrame) -> list[Spec]:
    """For each forum the curves of its kinds, and beside them their boxes."""
    named = with_words(rows.with_columns(color="kind"))
    panels = []
    for (forum,), part in named.group_by("forum", maintain_order=True):
        curve, boxes = part.drop_nulls("percent"), part.drop_nulls("quantiles")
        panels += [] if curve.is_empty() else [_curves(str(forum), curve)]
        panels += [] if boxes.is_empty() else [_boxes(str(forum), boxes)]
    return panels


def _hours(title: str) -> Spec:
    axis = {"format": "~g", "values": [0.01, 0.1, 1, 10, 100, 1000, 10_000], "labelOverlap": True}
    scale = {"type": "log", "nice": False, "padding": 8}
    return {"type": "quantitative", "title": title, "scale": scale, "axis": axis}


def _curves(forum: str, rows: pl.DataFrame) -> Spec:
    kinds = rows["color"].unique(maintain_order=True).to_list()
    last = rows.group_by("color", maintain_order=True).last()
    verdicts = (f"{row['color']} {row['percent']:.1f}" for row in last.iter_rows(named=True))
    measure = "with an accepted answer, percent"
    return {
        "title": escape_text(f"{forum}: share accepted by a time (Kaplan-Meier)"),
        "description": escape_text(f"{measure}, at last: {'; '.join(verdicts)}"),
        "data": {"values": values(rows.select("color", "hours", "percent"))},
        "width": WIDTH,
        "height": 220,
        "mark": {"type": "line", "strokeWidth": 2, "interpolate": "step-after"},
        "encoding": {
            "x": _hours("hours after asking") | {"field": "hours"},
            "y": {"field": "percent", "type": "quantitative", "title": measure},
            "color": colored(kinds),
            "tooltip": [
                {"field": "color", "type": "nominal", "title": "kind"},
                {"field": "hours", "type": "quantitative", "format": ",.3~r"},
                {"field": "percent", "type": "quantitative", "format": ".1f"},
            ],
        },
    }


def _boxes(forum: str, rows: pl.DataFrame) -> Spec:
    """Return the middle half of the waits as a bar, the middle eight tenths as a line, the median
    dark.
    """
    names = ("p10", "p25", "p50", "p75", "p90")
    drawn = rows.select(
        "color",
        *(pl.col("quantiles").list.get(place).alias(name) for place, name in enumerate(names)),
    ).sort("p50", descending=True)
    order = drawn["color"].to_list()
    y: Spec = {"field": "color", "type": "nominal", "sort": order, "title": None}
    y |= {"axis": {"domain": False, "ticks": False, "labelPadding": 6}}
    x = _hours("hours to the answer that was accepted")
    verdicts = (
        f"{row['color']} {row['p50']:.3g} [{row['p25']:.3g}, {row['p75']:.3g}]"
        for row in drawn.iter_rows(named=True)
    )
    tooltip = [
        {"field": "color", "type": "nominal", "title": "kind"},
        *({"field": name, "type": "quantitative", "format": ",.3~r"} for name in names),
    ]
    layers = [
        ({"type": "rule"}, {"x": x | {"field": "p10"}, "x2": {"field": "p90"}}),
        (
            {"type": "bar", "height": 12, "opacity": 0.45},
            {"x": x | {"field": "p25"}, "x2": {"field": "p75"}},
        ),
        ({"type": "tick", "height": 14, "thickness": 3}, {"x": x | {"field": "p50"}}),
    ]
    return {
        "title": escape_text(f"{forum}: waits of those with an accepted answer"),
        "description": escape_text(
            f"hours to the accepted answer, median and quartiles: {'; '.join(verdicts)}"
        ),
        "data": {"values": values(drawn)},
        "width": WIDTH - 60,
        "height": max(44, ROW * len(order)),
        "layer": [
            {"mark": mark, "encoding": {"y": y, "tooltip": tooltip, **encoding}}
            for mark, encoding in layers
        ],
    }
