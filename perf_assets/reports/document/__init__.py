"""Reports as documents: their parts, and these as one HTML file or as Markdown."""

from perf_assets.reports.document.parts import (
    Document,
    FirstScreen,
    Item,
    Part,
    Section,
    Tile,
    of_figure,
)
from perf_assets.reports.document.rendering import html, made_from_what, markdown, summary

__all__ = [
    "Document",
    "FirstScreen",
    "Item",
    "Part",
    "Section",
    "Tile",
    "html",
    "made_from_what",
    "markdown",
    "of_figure",
    "summary",
]
