"""Reports as documents: their parts, and these as one HTML file or as Markdown."""

from perf_assets.reports.document.as_html import html, made_from_what
from perf_assets.reports.document.as_markdown import markdown
from perf_assets.reports.document.parts import Document, Item, Part, Section, Tile, of_figure

__all__ = [
    "Document",
    "Item",
    "Part",
    "Section",
    "Tile",
    "html",
    "made_from_what",
    "markdown",
    "of_figure",
]
