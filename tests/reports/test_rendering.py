"""The renderer of pages: values stay text, and commands without pages do not load it."""

import json
import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import polars as pl
import pytest

from perf_assets.base.sanitize import escape_text
from perf_assets.reports.document import Document, Item, Part, Section, Tile, html
from perf_assets.reports.figures.problems import heat_map
from perf_assets.reports.rendering import TEMPLATES

HOSTILE = '</script><b onclick="harm()">\x1b[2J{{ 7 * 7 }}\u202e'
SHOWN = escape_text(HOSTILE)  # as every maker of charts writes it
PANEL = {
    "title": SHOWN,
    "description": SHOWN,
    "data": {"values": [{"color": SHOWN, "n": 1}]},
    "mark": "point",
    "encoding": {"x": {"field": "n", "type": "quantitative"}},
}


@pytest.mark.slow
def test_the_colours_that_a_scale_mixes_are_not_variables_of_the_page() -> None:
    """No browser can tell what stands between two variables: all cells had one colour."""
    rows = pl.DataFrame(
        {"symptom": ["Time", "Memory"], "cause": ["API", "API"], "problems": [1, 9]}
    )
    part = Part("one", "Heat", panels=[heat_map("Heat", rows, "symptom", "cause")])
    page = html(Document("Heat", [], [Section("s", "S", [], [part])]), "")
    ranges = re.findall(r'"range":(\[[^\]]*\])', page)
    assert ["#eff6ff", "#1e40af"] in [json.loads(text) for text in ranges]
    assert not [text for text in ranges if "var(" in text]


@pytest.mark.slow
def test_a_value_is_text_in_every_position_of_a_report() -> None:
    part = Part(
        "one",
        HOSTILE,
        HOSTILE,
        words=[HOSTILE],
        verdicts=[(HOSTILE, HOSTILE)],
        tiles=[Tile(HOSTILE, HOSTILE, HOSTILE)],
        items=[Item(HOSTILE, HOSTILE, f"https://a{HOSTILE}", HOSTILE)],
        panels=[PANEL],
        table=pl.DataFrame({HOSTILE: [HOSTILE], "verdict": [HOSTILE]}),
        queries={HOSTILE: f"select 1\nfrom {HOSTILE}"},
    )
    page = html(Document(HOSTILE, [HOSTILE], [Section("s", HOSTILE, [HOSTILE], [part])]), HOSTILE)
    assert "<b onclick" not in page and "\x1b" not in page and "\u202e" not in page
    assert "{{ 7 * 7 }}" in page and "select 1\nfrom " in page
    assert page.count("<script") == 3


def test_a_chart_in_a_page_is_json_in_the_colours_of_the_style_sheet() -> None:
    page = html(
        Document("Title", [], [Section("s", "S", [], [Part("one", "One", panels=[PANEL])])])
    )
    (text,) = re.findall(r'<script type="application/json">(.*?)</script>', page)
    chart = json.loads(text)
    assert chart["data"] == PANEL["data"]
    assert chart["config"]["axis"]["labelColor"] == "var(--soft)"
    (label,) = re.findall(r'role="img" aria-label="([^"]*)"', page)
    assert "<b onclick" in unescape(label)


@pytest.mark.parametrize("path", TEMPLATES.rglob("*.html"), ids=lambda path: path.name)
def test_no_template_takes_a_value_for_markup(path: Path) -> None:
    assert not re.search(r"\|\s*safe\b|autoescape|Markup", path.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_help_and_the_definitions_render_nothing() -> None:
    code = "import sys, perf_assets.cli.commands, perf_assets.definitions"
    code += "; assert 'jinja2' not in sys.modules"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
