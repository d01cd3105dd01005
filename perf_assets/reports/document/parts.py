"""What a report is made of. Texts of strangers stand in it as they are; renderers escape them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from perf_assets.reports.figures import Shown
from perf_assets.reports.figures.drawing import Spec


@dataclass(frozen=True)
class Tile:
    """A number to be seen first: what it counts, and what to hold it against."""

    number: str
    label: str
    note: str = ""


@dataclass(frozen=True)
class Item:
    """An issue or a question: its title, its address, and a remark."""

    mark: str
    title: str
    address: str
    words: str = ""


@dataclass(frozen=True)
class Part:
    """A part of a section.

    Attributes
    ----------
    name
        Its anchor, one of its own in the document.
    of
        What it is about, where others have the same title.
    words
        What it says, a sentence each.
    verdicts
        What it says of whom, the same of whom beside each other.
    items, left_out
        Things with addresses, and how many more there are.
    panels
        The parts of its picture.
    table
        Rows to read; all of them, of which a reader is shown the first.
    queries
        The SQL behind it, by what it gives; each runs as it stands over the published database.
    is_open
        Whether the table is seen at once.
    """

    name: str
    title: str
    of: str = ""
    words: list[str] = field(default_factory=list)
    verdicts: list[tuple[str, str]] = field(default_factory=list)
    tiles: list[Tile] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    left_out: int = 0
    panels: list[Spec] = field(default_factory=list)
    table: pl.DataFrame | None = None
    queries: Mapping[str, str] = field(default_factory=dict)
    is_open: bool = False


@dataclass(frozen=True)
class Section:
    """A section: what it is about, and its parts."""

    name: str
    title: str
    words: list[str] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)


@dataclass(frozen=True)
class Document:
    """A report: its title, what it is over, and its sections."""

    title: str
    words: list[str]
    sections: list[Section]


def of_figure(name: str, shown: Shown) -> Part:
    """Return the part that shows a figure."""
    queries = {"the words": shown.verdicts_query, "the table": shown.query}
    if shown.panels and shown.drawn != shown.query:
        queries["the picture"] = shown.drawn
    return Part(
        name=name,
        title=shown.title,
        verdicts=shown.verdicts,
        panels=shown.panels,
        table=shown.found,
        queries=queries,
    )
