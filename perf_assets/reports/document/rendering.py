"""Reports as files: one HTML file that fetches nothing, and Markdown for a terminal or a mail."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import polars as pl

from perf_assets.base.sanitize import for_markdown, is_address
from perf_assets.reports.document.parts import Document, Item, Part
from perf_assets.reports.formats import texts
from perf_assets.reports.markdown_table import markdown_table

MOST_ROWS = 20  # of a table in Markdown
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


def markdown(document: Document) -> str:
    """Return the report; no text of a stranger means anything in it."""
    return "\n\n".join(_blocks(document)) + "\n"


def _blocks(document: Document) -> Iterator[str]:
    yield f"# {for_markdown(document.title)}"
    yield from map(for_markdown, document.words)
    for section in document.sections:
        yield f"## {for_markdown(section.title)}"
        yield from map(for_markdown, section.words)
        for part in section.parts:
            yield f"### {for_markdown(f'{part.title}: {part.of}' if part.of else part.title)}"
            yield from _part(part)


def _part(part: Part) -> Iterator[str]:
    points = [
        *(
            f"{tile.number} {tile.label}{f' ({tile.note})' if tile.note else ''}"
            for tile in part.tiles
        ),
        *part.words,
        *(f"{who}: {what}" for who, what in part.verdicts),
    ]
    if points:
        yield "\n".join(f"- {for_markdown(point)}" for point in points)
    if part.items:
        more = [f"- and {part.left_out:,} more"] if part.left_out else []
        yield "\n".join([*map(_item, part.items), *more])
    if part.table is not None and not part.table.is_empty():
        yield table(part.table)


def _item(item: Item) -> str:
    words = f": {for_markdown(item.words)}" if item.words else ""
    title = f"{for_markdown(item.mark)} {for_markdown(item.title)}"
    return (
        f"- [{title}](<{item.address}>){words}" if is_address(item.address) else f"- {title}{words}"
    )


def table(rows: pl.DataFrame) -> str:
    """Return the first rows, in which no text of a cell means anything."""
    first = rows.head(MOST_ROWS)
    names = [name.replace("_", " ") for name in first.columns]
    numeric = [index for index, kind in enumerate(first.dtypes) if kind.is_numeric()]
    shown = markdown_table(names, texts(first), numeric=numeric)
    left_out = rows.height - first.height
    return f"{shown}\n\nand {left_out:,} more rows" if left_out > 0 else shown
