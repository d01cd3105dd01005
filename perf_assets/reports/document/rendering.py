"""Reports as files: one HTML file that fetches nothing, and Markdown for a terminal or a mail."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import polars as pl

from perf_assets.base.sanitize import for_markdown, is_address
from perf_assets.reports.document.parts import Document, FirstScreen, Item, Part, Section
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


def summary(document: Document) -> str:
    """Return the first screen as Markdown, for an issue, a chat or a wiki."""
    blocks = [f"# {for_markdown(document.title)}"]
    if document.first is not None:
        blocks += _first(document.first)
    return "\n\n".join(blocks) + "\n"


def _first(first: FirstScreen) -> Iterator[str]:
    if first.period:
        yield for_markdown(first.period)
    yield f"**{for_markdown(first.verdict)}**"
    if sentences := [*first.certainty, *([first.share] if first.share else [])]:
        yield "\n".join(f"- {for_markdown(sentence)}" for sentence in sentences)
    if first.numbers:
        yield "\n".join(f"- {for_markdown(tile.sentence)}" for tile in first.numbers)
    if first.items:
        yield "\n".join(["Look at:", "", *map(_item, first.items)])


def _blocks(document: Document) -> Iterator[str]:
    yield f"# {for_markdown(document.title)}"
    if document.first is not None:
        yield "## In short"
        yield from _first(document.first)
    for section in document.sections:
        yield from _section(section)
    yield from map(for_markdown, document.words)
    for section in document.appendix:
        yield from _section(section)


def _section(section: Section) -> Iterator[str]:
    yield f"## {for_markdown(section.title)}"
    yield from map(for_markdown, section.words)
    for part in section.parts:
        yield f"### {for_markdown(f'{part.title}: {part.of}' if part.of else part.title)}"
        yield from _part(part)


def _part(part: Part) -> Iterator[str]:
    points = [
        *(tile.sentence for tile in part.tiles),
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
    title = f"{for_markdown(item.mark)} {for_markdown(item.title)}".strip()
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
