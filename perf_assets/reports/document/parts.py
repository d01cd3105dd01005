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

    @property
    def sentence(self) -> str:
        """Number, label and note as a line of text."""
        return f"{self.number} {self.label}{f' ({self.note})' if self.note else ''}"


@dataclass(frozen=True)
class Item:
    """An issue, a question or a place in the report: its title, its address, and a remark.

    ``anchor`` is the place in the report, for what has no address.
    """

    mark: str
    title: str
    address: str
    words: str = ""
    anchor: str = ""


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
class FirstScreen:
    """What a reader sees first.

    Attributes
    ----------
    period
        The months it covers, in words.
    verdict, certainty
        The answer to "is it growing?", and sentences on how sure it is.
    share
        How much of all bug reports is about performance, with its uncertainty.
    panels
        The parts of the picture.
    numbers
        New, fixed and open performance bugs of the newest month.
    items
        What to look at.
    """

    period: str
    verdict: str
    certainty: list[str] = field(default_factory=list)
    share: str = ""
    panels: list[Spec] = field(default_factory=list)
    numbers: list[Tile] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)

    @property
    def sentences(self) -> list[str]:
        """The verdict, its certainty, the share and the numbers, a line each."""
        numbers = ", ".join(tile.sentence for tile in self.numbers)
        return [line for line in (self.verdict, *self.certainty, self.share, numbers) if line]


@dataclass(frozen=True)
class Document:
    """A report: its title, what it is over, and its sections.

    Attributes
    ----------
    first
        What a reader sees first; None in reports that are read from their beginning.
    appendix
        Sections for who wants all of it, which are folded.
    """

    title: str
    words: list[str]
    sections: list[Section]
    first: FirstScreen | None = None
    appendix: list[Section] = field(default_factory=list)


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
