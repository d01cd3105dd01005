"""The only renderer of HTML: the templates of ``templates/``, whose values are always escaped.

Values are made visible (:func:`~perf_assets.base.sanitize.escape_text`) and escaped where they are
written, so no template can forget it. Markup comes from templates and from charts alone.
"""

import re
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup, escape

from perf_assets.base.sanitize import escape_text, is_address, without_controls
from perf_assets.reports.drawing_process import drawing_script
from perf_assets.reports.figures import drawing
from perf_assets.reports.figures.drawing import Spec, chart_of, svg
from perf_assets.reports.formats import texts

TEMPLATES = Path(__file__).with_name("templates")
VARIABLES = {
    drawing.INK: "ink",
    drawing.SOFT: "soft",
    drawing.LINE: "line",
    drawing.AXIS: "axis",
    drawing.WARM: "warm",
    drawing.COOL: "cool",
    drawing.OTHER: "other",
    **{color: f"series-{index}" for index, color in enumerate(drawing.COLORS[2:6], 2)},
    drawing.COLORS[7]: "series-7",
}
"""The colours of the charts, and the variables of the style sheet that stand for them."""

# The spaces of p = 0.020, p < 0.001, delta = 0.3 and 12 %.
_TOGETHER = re.compile(r"(?<=\b(?:p|z)) (?=[=<] )|(?<= [=<]) (?=-?\d)|(?<=\d) (?=%)")


def render(template: str, **values: object) -> str:
    """Return the page that ``template`` makes of ``values``."""
    return _environment().get_template(template).render(values)


def environment_of(folder: Path) -> Environment:
    """Return Jinja for the templates in ``folder``: values are escaped, names must be known."""
    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def _environment() -> Environment:
    environment = environment_of(TEMPLATES)
    environment.finalize = _visible
    environment.filters |= {
        "breakable": _breakable,
        "live": _live,
        "megabytes": _megabytes,
        "picture": lambda panel: _themed(svg(panel)),
        "source": lambda code: escape(without_controls(code)),
        "texts": texts,
    }
    environment.tests["address"] = is_address
    environment.globals["drawing_script"] = lambda: Markup(drawing_script())
    return environment


def _visible(value: object) -> object:
    """Return a text as it is shown: on one line, its numbers beside what they belong to."""
    is_markup = isinstance(value, Markup)
    return value if is_markup else _TOGETHER.sub("\u00a0", escape_text(value))


def _breakable(text: str) -> Markup:
    """Return a text that may be broken within names and paths."""
    return Markup(re.sub(r"([_/])", r"\1<wbr>", str(escape(_visible(text)))))


def _megabytes(size: int) -> Markup:
    """Return a size in bytes as people read it."""
    shown = f"{size / 1e6:,.1f} MB" if size >= 100_000 else f"{size / 1e3:,.1f} kB"
    return Markup(shown.replace(" ", "\u00a0"))


def _live(panel: Spec) -> Markup:
    """Return a chart as JSON within a script element, for what draws it as wide as its frame."""
    frame = {"autosize": {"type": "fit-x", "contains": "padding"}}
    text = htmlsafe_json_dumps(chart_of(panel) | frame, separators=(",", ":"))
    return _themed(str(text))


def _themed(drawn: str) -> Markup:
    """Return a chart in the variables of the style sheet."""
    for color, name in VARIABLES.items():
        drawn = drawn.replace(f'"{color}"', f'"var(--{name})"')
    return Markup(drawn)
