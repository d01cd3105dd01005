"""A report as one HTML file: nothing to fetch, readable without scripts, in light and dark."""

import json
import re
from collections.abc import Iterator
from html import escape, unescape
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import polars as pl

from perf_assets.reports.document.parts import (
    Document,
    Item,
    Part,
    Section,
    Tile,
    is_address,
    texts,
)
from perf_assets.reports.drawing_process import drawing_script
from perf_assets.reports.figures import drawing
from perf_assets.reports.figures.drawing import Spec, panel_of_page, svg
from perf_assets.sanitize import escape_text

HERE = Path(__file__).parent
MOST_ROWS = 100
SHORT, LONG = 12, 60
"""Characters of a cell that stay on one line, or need room."""
LEVELS = {"rises": "up", "falls": "down", "exact": "good", "within rounding": "fine"}
LEVELS |= {"coincides": "odd", "differs": "bad"}
COLORS = {
    drawing.INK: "ink",
    drawing.SOFT: "soft",
    drawing.LINE: "line",
    drawing.AXIS: "axis",
    drawing.WARM: "warm",
    drawing.COOL: "cool",
    drawing.OTHER: "other",
    **{color: f"series-{place}" for place, color in enumerate(drawing.COLORS[2:6], 2)},
    drawing.COLORS[7]: "series-7",
}
"""The colours of the charts, and the variables of the style sheet that stand for them."""


MADE_FROM = re.compile(r'<meta name="made-from" content="([^"]*)">')


# The spaces of p = 0.020, p < 0.001, delta = 0.3 and 12 %.
_TOGETHER = re.compile(r"(?<=\b(?:p|z)) (?=[=<] )|(?<= [=<]) (?=-?\d)|(?<=\d) (?=%)")


def html(document: Document, made_from: str = "") -> str:
    """The report; no text of a stranger means anything in it, and no address but http is one.

    ``made_from`` is kept in it, for :func:`made_from_what`.
    """
    style = (HERE / "report.css").read_text(encoding="utf-8")
    sections = "\n".join(map(_section, document.sections))
    contents = "".join(
        f'<li><a href="#{section.name}">{_text(section.title)}</a></li>'
        for section in document.sections
    )
    words = "".join(f"<p>{_text(sentence)}</p>" for sentence in document.words)
    has_charts = any(part.panels for section in document.sections for part in section.parts)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f'<meta name="made-from" content="{_text(made_from)}">'
        f"<title>{_text(document.title)}</title><style>{style}</style></head><body>\n"
        '<a class="skip" href="#report">Skip to the report</a>\n'
        f"<header><h1>{_text(document.title)}</h1>{words}"
        '<button type="button" id="scheme" hidden>Dark</button></header>\n'
        f'<nav aria-label="Contents"><ul>{contents}</ul></nav>\n'
        f'<main id="report" tabindex="-1">\n{sections}\n</main>\n'
        f"{_scripts() if has_charts else ''}"
        "</body></html>\n"
    )


def made_from_what(path: Path) -> str | None:
    """What the report at ``path`` says that it was made from; None where there is none."""
    if not path.exists():
        return None
    with path.open(encoding="utf-8") as file:
        found = MADE_FROM.search(file.read(1_000))
    return unescape(found[1]) if found else None


def _scripts() -> str:
    script = (HERE / "report.js").read_text(encoding="utf-8")
    return f"<script>{drawing_script()}</script>\n<script>{script}</script>"


def _section(section: Section) -> str:
    words = "".join(f"<p>{_text(sentence)}</p>" for sentence in section.words)
    parts = "\n".join(map(_part, section.parts))
    return (
        f'<section id="{section.name}" aria-labelledby="{section.name}-title">'
        f'<h2 id="{section.name}-title">{_text(section.title)}</h2>{words}\n{parts}</section>'
    )


def _part(part: Part) -> str:
    sort = ' class="listing"' if part.items else ""
    return f'<article id="{part.name}"{sort}>{"".join(_blocks(part))}</article>'


def _blocks(part: Part) -> Iterator[str]:
    of = f" <small>{_text(part.of)}</small>" if part.of else ""
    yield f"<h3>{_text(part.title)}{of}</h3>"
    if part.tiles:
        tiles = "".join(_tile(tile, part) for tile in part.tiles)
        yield f'<ul class="tiles">{tiles}</ul>'
    words, panels = "".join(_words(part)), "".join(map(_panel, part.panels))
    if panels:
        panels = f'<div class="panels">{panels}</div>'
    is_pair = len(part.panels) == 1 and words
    yield f'<div class="pair"><div>{words}</div>{panels}</div>' if is_pair else words + panels
    if part.items:
        yield f'<ul class="items">{"".join(map(_item, part.items))}</ul>'
    if part.left_out:
        yield f'<p class="more">and {part.left_out:,} more</p>'
    if part.table is not None and not part.table.is_empty():
        name = f"{part.title} {part.of}: table"
        shown = _table(part.table, name)
        rows = f"{part.table.height:,} row{'' if part.table.height == 1 else 's'}"
        summary = f"<summary>Table <small>{rows}</small></summary>"
        yield shown if part.is_open else f'<details class="table">{summary}{shown}</details>'
    if part.queries:
        yield _queries(part)


def _words(part: Part) -> Iterator[str]:
    if part.words:
        yield f'<ul class="words">{"".join(f"<li>{_text(one)}</li>" for one in part.words)}</ul>'
    for who, verdicts in groupby(part.verdicts, itemgetter(0)):
        told = "".join(f"<li>{_text(what)}</li>" for _, what in verdicts)
        yield f'<h4>{_text(who)}</h4><ul class="words">{told}</ul>'


def _tile(tile: Tile, part: Part) -> str:
    number = f"<b>{_text(tile.number)}</b>"
    if part.queries:
        number = f'<a href="#{part.name}-query">{number}</a>'
    note = f"<small>{_text(tile.note)}</small>" if tile.note else ""
    return f"<li>{number}<span>{_text(tile.label)}</span>{note}</li>"


def _item(item: Item) -> str:
    title = f"{_text(item.mark)} {_text(item.title)}".strip()
    linked = f'<a href="{escape(item.address)}">{title}</a>' if is_address(item.address) else title
    return f"<li>{linked}{f' <small>{_text(item.words)}</small>' if item.words else ''}</li>"


def _panel(panel: Spec) -> str:
    """A chart as a static picture, and what a script draws in its place, of the same colours."""
    title, description = panel["title"], panel["description"]
    whole = panel_of_page(panel)
    live = whole | {"autosize": {"type": "fit-x", "contains": "padding"}}
    # Within a script < may begin what ends it.
    spec = json.dumps(live, separators=(",", ":")).replace("<", "\\u003c")
    return (
        f'<figure><div class="chart" role="img" aria-label="{_text(f"{title}. {description}")}">'
        f"{_themed(svg(whole))}</div>"
        f'<script type="application/json">{_themed(spec)}</script></figure>'
    )


def _themed(drawn: str) -> str:
    for color, name in COLORS.items():
        drawn = drawn.replace(f'"{color}"', f'"var(--{name})"')
    return drawn


def _table(rows: pl.DataFrame, name: str) -> str:
    first = rows.head(MOST_ROWS)
    kinds = [' class="n"' if column.dtype.is_numeric() else "" for column in first]
    head = "".join(
        f'<th scope="col"{kind}>{_text(column.replace("_", " "))}</th>'
        for column, kind in zip(first.columns, kinds, strict=True)
    )
    columns = [
        [_cell(column.name, text, kind) for text in texts(column.name, column)]
        for column, kind in zip(first, kinds, strict=True)
    ]
    body = "".join(f"<tr>{''.join(cells)}</tr>" for cells in zip(*columns, strict=True))
    left_out = rows.height - first.height
    more = f'<p class="more">and {left_out:,} more rows: run its query</p>' if left_out > 0 else ""
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{_text(name)}">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{more}"
    )


def _cell(column: str, text: str, kind: str) -> str:
    shown = _text(text)
    if not kind and not SHORT < len(text) < LONG:
        kind = ' class="short"' if len(text) <= SHORT else ' class="long"'
    if column == "verdict":
        shown = f'<span class="badge {LEVELS.get(text, "none")}">{shown}</span>'
    elif is_address(text):
        shown = f'<a href="{shown}">{shown}</a>'
    else:
        shown = shown.replace("_", "_<wbr>").replace("/", "/<wbr>")
    return f"<td{kind}>{shown}</td>"


def _queries(part: Part) -> str:
    shown = "".join(
        f"<h4>{_text(name)[:1].upper()}{_text(name)[1:]}</h4>"
        f'<pre tabindex="0" aria-label="{_text(f"{part.title} {part.of}: query of {name}")}"><code>'
        f"{escape(sql)}</code></pre>"
        for name, sql in part.queries.items()
    )
    return (
        f'<details class="queries"><summary>The query behind it</summary>'
        f'<div id="{part.name}-query">{shown}</div></details>'
    )


def _text(text: object) -> str:
    """``text`` as it is shown: harmless, and with its numbers beside what they belong to."""
    return escape(_TOGETHER.sub("\u00a0", escape_text(text)))
