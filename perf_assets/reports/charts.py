"""A chart of a result: its axes follow from the columns, or are given."""

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from textwrap import wrap
from typing import Any

from perf_assets.base.config_files import nearest
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import escape_text
from perf_assets.reports import drawing_process
from perf_assets.reports.figures.drawing import Spec, chart_of, over_time
from perf_assets.reports.figures.panels import category, quantity
from perf_assets.reports.formats import shown
from perf_assets.reports.query_result import QueryResult, is_integer, is_number, is_time
from perf_assets.reports.rendering import render

MONTH = re.compile(r"\d{4}-\d{2}")
YEARS = re.compile(r"(^|_)(year|quarter|opened_in|closed_in)($|_)")
SHARES = re.compile(r"percent|share|median")
IDENTIFIERS = ("number", "sha", "line")
LINE = 91  # characters of a title
MOST_COLORS, MOST_PANELS, MOST_BARS, MOST_ROWS = 12, 6, 60, 50_000


@dataclass(frozen=True)
class Axes:
    """The columns of a picture; what is None follows from the answer."""

    x: str | None = None
    y: str | None = None
    color: str | None = None


@dataclass(frozen=True)
class _Column:
    """A column of an answer: its values, and whether they are times, numbers or words."""

    name: str
    kind: str
    values: list[Any]

    @property
    def distinct(self) -> int:
        return len({value for value in self.values if value is not None})


def chart(answer: QueryResult, title: str, axes: Axes | None = None) -> Spec:
    """Return a Vega-Lite chart of an answer.

    Times, or else words, stand on the x-axis, the first share or number on the y-axis; repositories
    have colours, and each value of a further grouping column has a panel.

    Raises
    ------
    PerfAssetsError
        It has no rows, too many, no column of numbers, or none of a name that was given.
    """
    if not 0 < len(answer.rows) <= MOST_ROWS:
        size = "no rows" if not len(answer.rows) else f"{len(answer.rows):,} rows"
        raise PerfAssetsError(f"the answer has {size}: there is no picture of that")
    columns = {name: _column(answer, name) for name in answer.columns}
    x, y, color, panel = _chosen(columns, axes or Axes())
    notes, shown_rows = [], len(answer.rows)
    if x.kind == "words" and shown_rows > MOST_BARS:
        notes.append(f"the first {MOST_BARS} of {shown_rows:,} rows")
        shown_rows = MOST_BARS
    drawn = [column for column in (x, y, color, panel) if column is not None]
    values = [
        {f"c{index}": column.values[row] for index, column in enumerate(drawn)}
        for row in range(shown_rows)
    ]
    encoding, mark = _encoding(x, y)
    if color is not None:
        encoding["color"] = category(f"c{drawn.index(color)}", title=escape_text(color.name))
    width, height = (560, {"step": 18}) if x.kind == "words" else (640, 300)
    spec: Spec = {"mark": mark, "encoding": encoding, "width": width, "height": height}
    if panel is not None:
        facet = category(f"c{drawn.index(panel)}", title=escape_text(panel.name))
        spec = {"facet": facet, "columns": 2, "spec": spec}
    words = " ".join(escape_text(title).split())
    lines = wrap(words, LINE, break_long_words=False, break_on_hyphens=False)
    heading = {"text": lines or [""], "subtitle": notes}
    return chart_of({"title": heading, "data": {"values": values}, **spec}, "white")


def chart_file(path: Path, spec: Spec, title: str) -> bytes:
    """Return the chart as the file that the name of ``path`` says: .html, .png or .svg.

    The page needs no network: what draws it is part of it.

    Raises
    ------
    PerfAssetsError
        It is none of these.
    """
    match path.suffix.lower():
        case ".html":
            return render("chart.html", title=title, chart=spec).encode()
        case ".png":
            return drawing_process.png(json.dumps(spec))
        case ".svg":
            return drawing_process.svg(json.dumps(spec)).encode()
    raise PerfAssetsError(f"{path}: a picture is written as .html, .png or .svg")


def _column(answer: QueryResult, name: str) -> _Column:
    kind, values = answer.types[answer.columns.index(name)], answer.column(name)
    present = [value for value in values if value is not None]
    if is_time(kind):
        return _Column(name, "times", [None if v is None else _moment(v) for v in values])
    if is_integer(kind) and YEARS.search(name):
        return _Column(name, "years", [None if v is None else str(v) for v in values])
    if is_number(kind) and name not in IDENTIFIERS:
        return _Column(name, "numbers", [None if v is None else float(v) for v in values])
    texts = [None if value is None else escape_text(shown(value)) for value in values]
    if present and all(isinstance(v, str) and MONTH.fullmatch(v) for v in present):
        return _Column(name, "times", texts)
    if YEARS.search(name):
        return _Column(name, "years", texts)
    return _Column(name, "words", texts)


def _moment(value: object) -> str:
    """Return a date, or a moment with its zone; browsers take none for the reader's."""
    if not isinstance(value, datetime):
        return str(value)
    moment = value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def _chosen(
    columns: dict[str, _Column], axes: Axes
) -> tuple[_Column, _Column, _Column | None, _Column | None]:
    for name in (axes.x, axes.y, axes.color):
        if name is not None and name not in columns:
            raise PerfAssetsError(f"the answer has no column {name}; {nearest(name, columns)}")
    taken = [columns[name] for name in (axes.x, axes.y, axes.color) if name is not None]
    free = [column for column in columns.values() if column not in taken]
    numbers, words, times, years = (
        [column for column in free if column.kind == kind]
        for kind in ("numbers", "words", "times", "years")
    )
    shares = [number for number in numbers if SHARES.search(number.name)]
    y = columns[axes.y] if axes.y else next(iter([*shares, *numbers]), None)
    if y is None or y.kind != "numbers":
        raise PerfAssetsError("the answer has no column of numbers to draw; say which with --y")
    # Words that tell most rows apart are what a bar stands for.
    by_distinct = sorted(words, key=lambda word: -word.distinct)
    others_than_y = (number for number in numbers if number is not y)
    by_kind = chain(times, years, by_distinct, others_than_y)
    x = columns[axes.x] if axes.x else next(by_kind, y)
    others = [word for word in words if word is not x and word.distinct > 1]
    others.sort(key=lambda word: word.name != "repository")
    color = columns[axes.color] if axes.color else None
    if color is None:
        color = next((other for other in others if other.distinct <= MOST_COLORS), None)
    others = [other for other in others if other is not color and other.distinct <= MOST_PANELS]
    is_series = x.kind in ("times", "years")
    return x, y, color, others[0] if others and is_series else None


def _encoding(x: _Column, y: _Column) -> tuple[Spec, Spec]:
    across: Spec = {"field": "c0", "title": escape_text(x.name)}
    upwards = quantity("c1", title=escape_text(y.name))
    if x.kind == "words":
        across |= {"type": "nominal", "sort": None}
        return {"y": across, "x": upwards}, {"type": "bar"}
    if x.kind == "numbers":
        return {"x": across | {"type": "quantitative"}, "y": upwards}, {"type": "point"}
    if x.kind == "times":
        across |= over_time("c0", {"format": "%Y-%m", "labelOverlap": True})
    else:
        across |= {"type": "ordinal"}
    return {"x": across, "y": upwards}, {"type": "line", "point": {"size": 18}, "strokeWidth": 2}
