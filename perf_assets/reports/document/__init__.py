"""Reports as documents: their parts, and these as one HTML file or as Markdown."""

from perf_assets.reports.document.parts import Document, Item, Part, Section, Tile, of_figure
from perf_assets.reports.document.rendering import html, made_from_what, markdown

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
