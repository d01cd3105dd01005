"""A treemap: rectangles within rectangles, as large as what they stand for.

Bruls, M., Huizing, K. and van Wijk, J. J. (2000). Squarified Treemaps. Proceedings of the Joint
Eurographics and IEEE TCVG Symposium on Visualization, 33-42: rows are filled along the shorter side
as long as that makes their rectangles more like squares.
"""

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from perf_assets.base.sanitize import escape_text
from perf_assets.reports.figures.drawing import AXIS, INK, LINE, Spec
from perf_assets.reports.figures.panels import category, quantity, values

WIDTH, HEIGHT = 720, 340
HEADING = 17
"""Pixels in height of the name of a group."""

LETTER = 6.2
"""Pixels in width of a letter of a label, about."""

LOWEST_LABEL, NARROWEST_LABEL = 15, 30
SHADES = ["#e0e7ff", "#1e3a8a"]
DARK = 0.45
"""Share of the largest shade from which on a label is white."""


class Box(NamedTuple):
    """A rectangle: its left upper corner, and its size."""

    x: float
    y: float
    width: float
    height: float

    @property
    def edges(self) -> dict[str, float]:
        """Its sides, as columns of the data of a chart."""
        return {
            "left": self.x,
            "right": self.x + self.width,
            "top": self.y,
            "bottom": self.y + self.height,
        }


def squarified(sizes: Sequence[float], box: Box) -> list[Box]:
    """Return a rectangle within ``box`` for each of ``sizes``, above 0 and the largest first.

    Together they fill the box; the area of each is in proportion to its size.
    """
    left = list(sizes)
    boxes: list[Box] = []
    while left:
        is_tall = box.width < box.height
        scale = box.width * box.height / sum(left)
        shorter = min(box.width, box.height)
        count = 1
        while count < len(left) and _worst(left[: count + 1], shorter, scale) <= _worst(
            left[:count], shorter, scale
        ):
            count += 1
        row, left = left[:count], left[count:]
        thickness = sum(row) * scale / shorter if shorter else 0.0
        at = 0.0
        for size in row:
            length = size * scale / thickness if thickness else 0.0
            if is_tall:
                boxes.append(Box(box.x + at, box.y, length, thickness))
            else:
                boxes.append(Box(box.x, box.y + at, thickness, length))
            at += length
        if is_tall:
            rest = max(0.0, box.height - thickness)
            box = box._replace(y=box.y + thickness, height=rest)
        else:
            box = box._replace(x=box.x + thickness, width=max(0.0, box.width - thickness))
    return boxes


def _worst(row: Sequence[float], side: float, scale: float) -> float:
    """Return how much longer than wide the least square rectangle of a row is."""
    total = sum(row) * scale
    if not side or not total:
        return 1.0
    return max(
        max(side**2 * size * scale / total**2, total**2 / (side**2 * size * scale)) for size in row
    )


def treemap(title: str, rows: pl.DataFrame, measure: str, shade: str) -> Spec:
    """Rectangles as large as ``size``, in groups; columns group, what, size, shade (may be NULL).

    ``measure`` says what the size is, ``shade`` what the colour is.
    """
    sizes = rows.group_by("group").agg(pl.col("size").sum()).sort("size", "group", descending=True)
    groups = squarified(sizes["size"].to_list(), Box(0, 0, WIDTH, HEIGHT))
    headings, tiles = [], []
    darkest = rows["shade"].max()
    for name, box in zip(sizes["group"], groups, strict=True):
        has_heading = box.height > 2 * HEADING and box.width > NARROWEST_LABEL
        if has_heading:
            text = _fitting(name, box.width, is_end=True)
            headings.append({"x": box.x + 4, "y": box.y + 12, "text": text})
        top = HEADING if has_heading else 0
        inner = Box(box.x + 1, box.y + top, box.width - 2, box.height - top - 1)
        of_group = rows.filter(group=name).sort("size", "what", descending=[True, False])
        boxes = squarified(of_group["size"].to_list(), inner)
        tiles += [
            _tile(row, tile, darkest) for row, tile in zip(of_group.to_dicts(), boxes, strict=True)
        ]
    drawn = pl.DataFrame(tiles, infer_schema_length=None)
    labels = drawn.filter(pl.col("text") != "").select("x", "y", "text", "is_dark")
    frame = {"type": "rect", "filled": False, "stroke": AXIS, "strokeWidth": 1.5}
    sentences = (f"{row['what']} {row['size']:,}" for row in rows.head(12).iter_rows(named=True))
    return {
        "title": escape_text(title),
        "description": escape_text(f"{measure}: {'; '.join(sentences)}"),
        "width": WIDTH,
        "height": HEIGHT,
        "layer": [
            _rectangles(drawn, measure, shade),
            {
                "data": {"values": values(pl.DataFrame([box.edges for box in groups]))},
                "mark": frame,
                "encoding": _corners(),
            },
            _texts(pl.DataFrame(headings), "bold"),
            _texts(labels, "normal"),
        ],
    }


def _tile(row: dict[str, object], box: Box, darkest: object) -> dict[str, object]:
    fits = box.height >= LOWEST_LABEL and box.width >= NARROWEST_LABEL
    shade = row["shade"]
    is_dark = isinstance(shade, float) and isinstance(darkest, float) and shade > DARK * darkest
    return {
        **box.edges,
        "what": row["what"],
        "size": row["size"],
        "shade": shade,
        "x": box.x + 4,
        "y": box.y + min(box.height / 2 + 4, 14),
        "text": _fitting(str(row["what"]).rpartition("/")[2], box.width) if fits else "",
        "is_dark": is_dark,
    }


def _fitting(text: str, width: float, *, is_end: bool = False) -> str:
    """As much of a text as fits into so many pixels, of its beginning or of its end."""
    most = int((width - 8) / LETTER)
    if len(text) <= most:
        return text
    if most <= 2:
        return ""
    return f"…{text[1 - most :]}" if is_end else f"{text[: most - 1]}…"


def _place(field: str, last: float) -> Spec:
    """Return a coordinate in pixels."""
    scale: Spec = {"domain": [0, last], "nice": False, "zero": False}
    if last == HEIGHT:
        scale["reverse"] = True
    return quantity(field, scale=scale, axis=None)


def _corners() -> Spec:
    return {
        "x": _place("left", WIDTH),
        "x2": {"field": "right"},
        "y": _place("top", HEIGHT),
        "y2": {"field": "bottom"},
    }


def _rectangles(tiles: pl.DataFrame, measure: str, shade: str) -> Spec:
    columns = ("left", "right", "top", "bottom", "what", "size", "shade")
    color = quantity(
        "shade",
        title=f"the larger: {measure}; the darker: {shade}",
        scale={"range": SHADES, "zero": True},
        legend={"orient": "bottom", "gradientLength": 240, "titleLimit": WIDTH},
        condition={"test": "datum.shade === null", "value": LINE},
    )
    tooltip = [
        category("what"),
        quantity("size", title=measure),
        quantity("shade", title=shade, format=",.3~r"),
    ]
    return {
        "data": {"values": values(tiles.select(columns))},
        "mark": {"type": "rect", "stroke": "white", "strokeWidth": 1, "invalid": None},
        "encoding": _corners() | {"color": color, "tooltip": tooltip},
    }


def _texts(rows: pl.DataFrame, weight: str) -> Spec:
    color = {"condition": {"test": "datum.is_dark === true", "value": "white"}, "value": INK}
    return {
        "data": {"values": values(rows)},
        "mark": {"type": "text", "align": "left", "fontSize": 11, "fontWeight": weight},
        "encoding": {
            "x": _place("x", WIDTH),
            "y": _place("y", HEIGHT),
            "text": category("text"),
            "color": color,
        },
    }
