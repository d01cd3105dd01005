"""A report as one HTML file: nothing to fetch, readable without scripts, in light and dark."""

import re
from html import unescape
from pathlib import Path

from perf_assets.reports.document.parts import Document

MADE_FROM = re.compile(r'<meta name="made-from" content="([^"]*)">')


def html(document: Document, made_from: str = "") -> str:
    """Return the report; no text of a stranger means anything in it, and no address but http is
    one.

    ``made_from`` is kept in it, for :func:`made_from_what`.
    """
    # A run with nothing new renders nothing.
    from perf_assets.reports.rendering import render  # noqa: PLC0415

    return render("report.html", **vars(document), made_from=made_from)


def made_from_what(path: Path) -> str | None:
    """Return what the report at ``path`` says that it was made from; None where there is none."""
    if not path.exists():
        return None
    with path.open(encoding="utf-8") as file:
        match = MADE_FROM.search(file.read(1_000))
    return unescape(match[1]) if match else None
