"""Codebooks: the words a rater may use, and which of them a rater may have meant."""

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

VERDICTS = ("yes", "no", "unsure")
"""Answers to the question whether a bug report is about performance."""

FINDING_VERDICTS = ("right", "wrong", "unsure")
"""Answers to the question whether what a static check says is so."""

FINDING_STATES = ("reported", "confirmed", "fixed", "rejected")
"""What became of a finding with the people of the project: told to them, acknowledged by them as a
problem, mended because of it, or refused. What is fixed was confirmed, and all were reported."""

IMPACTS = ("speed", "memory", "both")
"""What a performance bug costs (Table III of the paper)."""


@dataclass(frozen=True)
class Code:
    """An entry of a codebook: a category and, where it is more specific, a sub-category of it."""

    category: str
    subcategory: str | None = None

    @property
    def name(self) -> str:
        """As it is written in a sheet: ``Category`` or ``Category (Sub-category)``."""
        return (
            self.category if self.subcategory is None else f"{self.category} ({self.subcategory})"
        )


class UnknownWordError(ValueError):
    """A ``word`` that the codebook does not have; ``nearest`` is the one most like it.

    ``words`` are all that could be written; empty for the names of a codebook.
    """

    def __init__(self, word: str, nearest: str, words: tuple[str, ...] = ()) -> None:
        """Say which word it is and which one was probably meant."""
        super().__init__(f"{word!r} is not in the codebook; nearest is {nearest!r}")
        self.word = word
        self.nearest = nearest
        self.words = words


@dataclass(frozen=True)
class Redefinition:
    """What a code held in older ``revisions``; without a code, what an empty cell did."""

    revisions: frozenset[int]
    code: Code | None
    held: str


@dataclass(frozen=True)
class Codebook:
    """Codes of one question to raters with their descriptions, in order, and other spellings.

    revision : rises when a code holds something else than before.
    redefined : what codes held in older revisions, in the order of the file.
    own : the sub-categories that are not part of the study whose codebook it is.
    """

    descriptions: Mapping[Code, str]
    aliases: Mapping[str, Code]
    revision: int = 1
    redefined: tuple[Redefinition, ...] = ()
    own: frozenset[Code] = frozenset()

    @property
    def categories(self) -> list[Code]:
        """The categories."""
        return [code for code in self.descriptions if code.subcategory is None]

    @property
    def subcategories(self) -> list[Code]:
        """The sub-categories, each with its category."""
        return [code for code in self.descriptions if code.subcategory is not None]

    def code(self, text: str) -> Code:
        """Return the code called ``text``, without regard to case and the width of white space.

        ``Category: sub-category`` is read as ``Category (Sub-category)``.

        Raises
        ------
        UnknownWordError
            There is none; names the nearest. A sub-category needs its category before it.
        """
        codes = {folded(code.name): code for code in self.descriptions}
        codes |= {
            folded(f"{subcategory.category}: {subcategory.subcategory}"): subcategory
            for subcategory in self.subcategories
        }
        codes |= {folded(alias): code for alias, code in self.aliases.items()}
        spelling = folded(text)
        if spelling in codes:
            return codes[spelling]
        # A sub-category alone names no code, but is a hint to the one that is meant.
        hints = {folded(code.subcategory or code.name): code for code in self.descriptions}
        hints |= codes
        [nearest] = difflib.get_close_matches(spelling, hints, n=1, cutoff=0.0)
        raise UnknownWordError(text, hints[nearest].name)


def read_codebook(content: Mapping[str, object]) -> Codebook:
    """Return the codebook from ``content``: a list ``categories``, each with its ``subcategories``.

    An entry has ``name``, ``description`` and perhaps ``aliases``; those of a sub-category are
    written as in a sheet, category first. ``is_own`` says that it is none of the study's. An entry
    of ``before`` has the older ``revisions``, the ``category`` and what it ``held``.
    """
    descriptions: dict[Code, str] = {}
    aliases: dict[str, Code] = {}
    own: set[Code] = set()
    for category in _entries(content, "categories"):
        name = str(category["name"])
        for code, entry in (
            (Code(name), category),
            *((Code(name, str(sub["name"])), sub) for sub in _entries(category, "subcategories")),
        ):
            descriptions[code] = str(entry["description"])
            spellings = entry.get("aliases", [])
            assert isinstance(spellings, list)
            aliases |= {str(spelling): code for spelling in spellings}
            if entry.get("is_own", False):
                own.add(code)
    revision = content.get("revision", 1)
    assert isinstance(revision, int)
    book = Codebook(descriptions, aliases, revision, own=frozenset(own))
    return replace(book, redefined=tuple(_redefinitions(content, book)))


def _redefinitions(content: Mapping[str, object], book: Codebook) -> Iterator[Redefinition]:
    for entry in _entries(content, "before"):
        revisions, category = entry["revisions"], str(entry["category"])
        assert isinstance(revisions, list)
        code = book.code(category) if category else None
        yield Redefinition(frozenset(revisions), code, str(entry["held"]))


def nearest_word(word: str, words: tuple[str, ...]) -> str:
    """Return the closest of ``words`` to ``word``."""
    return difflib.get_close_matches(folded(word), words, n=1, cutoff=0.0)[0]


def _entries(content: Mapping[str, object], key: str) -> Iterator[Mapping[str, object]]:
    entries = content.get(key, [])
    assert isinstance(entries, list)
    yield from entries


def folded(text: str) -> str:
    """Return a name as names are compared: without case and surplus spaces."""
    return " ".join(text.split()).casefold()
