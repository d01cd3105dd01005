"""Pictures as Vega-Lite: the colours and type that all share, panels side by side, and SVG."""

import json
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from perf_assets.reports import drawing_process

Spec = dict[str, Any]

INK, SOFT, LINE, AXIS = "#0f172a", "#475569", "#e2e8f0", "#94a3b8"
WARM, COOL, OTHER = "#c2410c", "#1d4ed8", "#64748b"
COLORS = (WARM, COOL, "#0f766e", "#7c3aed", "#a16207", "#be185d", "#475569", "#15803d")
KINDS = {"performance bugs": WARM, "other bugs": OTHER}
FONT = "Helvetica, Arial, sans-serif"
CONFIG: Spec = {
    "font": FONT,
    "mark": {"color": COOL},
    "range": {"category": list(COLORS)},
    "axis": {
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelColor": SOFT,
        "titleColor": SOFT,
        "gridColor": LINE,
        "domainColor": AXIS,
        "tickColor": AXIS,
        "labelLimit": 260,
    },
    "legend": {"labelFontSize": 12, "titleFontSize": 12, "labelColor": INK, "titleColor": SOFT},
    "title": {"fontSize": 14, "anchor": "start", "color": INK},
    "view": {"stroke": None},
}
SPACING = 30
"""Pixels between the panels of a picture."""
LARGEST_INLINE = 100_000
"""Characters of a picture in an address, as Dagster is given it, base64 and all."""
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"

# What is shown as an image has one text for who cannot see it, and none within.
_UNSEEN = re.compile(
    r' (?:aria-[a-z]+|role|class|pointer-events)="[^"]*"'
    r'| (?:opacity|stroke-width)="1"'  # as they are without
    r'|<path d="" display="none"/>'
)
_SIZE = re.compile(r' width="([\d.]+)" height="([\d.]+)"')
_NAMED = re.compile(r'(?<= id=")|(?<=url\(#)')  # parts that others of an element refer to
_TAG = re.compile(r"<[^>]++(?:>|\Z)")
_MORE_DIGITS = re.compile(r"(?<=\d\d\.\d)\d+|(?<=\.\d\d)\d+")


def over_time(field: str, axis: Spec) -> Spec:
    """Return a channel of moments in UTC, wherever the chart is drawn or read."""
    return {
        "field": field,
        "type": "temporal",
        "scale": {"type": "utc"},
        "title": None,
        "axis": axis,
    }


def chart_of(panel: Spec, background: str = "transparent") -> Spec:
    """Return one panel as a chart, by default on whatever it stands on."""
    return {"$schema": SCHEMA, "config": CONFIG, "background": background, **panel}


def begin(panels: Iterable[Spec]) -> None:
    """Have panels drawn, where another process does that, before they are requested."""
    for panel in panels:
        drawing_process.begin(json.dumps(chart_of(panel)))


def svg(panel: Spec) -> str:
    """Return one panel as an SVG element, in tenths of a pixel and with no texts but the visible
    ones.

    The caller adds a text for readers who cannot see it.
    """
    return _svg(json.dumps(chart_of(panel)))


def picture(panels: Sequence[Spec], columns: int = 2) -> str:
    """Several panels, ``columns`` beside each other, as one SVG element on white."""
    drawn = [_NAMED.sub(f"part{index}_", svg(panel)) for index, panel in enumerate(panels)]
    sizes = [tuple(map(float, _SIZE.search(text).groups())) for text in drawn]  # type: ignore[union-attr]
    width = max(wide for wide, _ in sizes) + SPACING
    top, placed = 0.0, []
    for first in range(0, len(drawn), columns):
        row = range(first, min(first + columns, len(drawn)))
        for column, index in enumerate(row):
            at = f'<svg x="{column * width:g}" y="{top:g}" '
            placed.append(drawn[index].replace("<svg ", at, 1))
        top += max(sizes[index][1] for index in row) + SPACING
    wide, high = width * min(columns, len(drawn)) - SPACING, top - SPACING
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:g}" height="{high:g}" '
        f'viewBox="0 0 {wide:g} {high:g}"><rect width="100%" height="100%" fill="white"/>'
        f"{''.join(placed)}</svg>"
    )


def png(image: str) -> bytes:
    """Return a picture, given as an SVG element, as PNG of as many pixels."""
    import vl_convert  # noqa: PLC0415

    return bytes(vl_convert.svg_to_png(image))


@lru_cache(maxsize=256)  # a run shows most in its events and in the report
def _svg(chart: str) -> str:
    drawn = _UNSEEN.sub("", drawing_process.svg(chart))
    return _TAG.sub(lambda tag: _MORE_DIGITS.sub("", tag[0]), drawn)
