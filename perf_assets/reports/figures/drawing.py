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
LARGEST_INLINE = 100_000
"""Characters of a picture in an address, as Dagster is given it, base64 and all."""
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"

# What is shown as an image has one text for who cannot see it, and none within.
_UNSEEN = re.compile(
    r' (?:aria-[a-z]+|role|class|pointer-events)="[^"]*"'
    r'| (?:opacity|stroke-width)="1"'  # as they are without
    r'|<path d="" display="none"/>'
)
_TAG = re.compile(r"<[^>]+>")
_MORE_DIGITS = re.compile(r"(?<=\d\d\.\d)\d+|(?<=\.\d\d)\d+")


def joined(panels: Sequence[Spec], columns: int = 2) -> Spec:
    """One chart on white of several panels, ``columns`` beside each other."""
    body: Spec = panels[0] if len(panels) == 1 else {"concat": list(panels), "columns": columns}
    if len(panels) > 1:
        body |= {"spacing": 30, "resolve": {"scale": {"color": "independent"}}}
    return {"$schema": SCHEMA, "config": CONFIG, "background": "white", **body}


def panel_of_page(panel: Spec) -> Spec:
    """One panel as a chart on whatever it stands on."""
    return {"$schema": SCHEMA, "config": CONFIG, "background": "transparent", **panel}


def begin(charts: Iterable[Spec]) -> None:
    """Have charts drawn, where another process does that, before they are requested."""
    for chart in charts:
        drawing_process.begin(_transparent(chart))


def _transparent(chart: Spec) -> str:
    return json.dumps({**chart, "background": "transparent"})


def svg(chart: Spec) -> str:
    """The chart as an SVG element, in tenths of a pixel and with no texts but the visible ones.

    Whoever shows it gives it a text for readers who cannot see it.
    """
    drawn = _svg(_transparent(chart))
    color = chart.get("background", "transparent")
    if color == "transparent":
        return drawn
    return drawn.replace(">", f'><rect width="100%" height="100%" fill="{color}"/>', 1)


@lru_cache(maxsize=256)  # a run shows most in its events, on white, and in the report
def _svg(chart: str) -> str:
    drawn = _UNSEEN.sub("", drawing_process.svg(chart))
    return _TAG.sub(lambda tag: _MORE_DIGITS.sub("", tag[0]), drawn)
