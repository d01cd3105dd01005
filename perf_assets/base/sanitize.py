"""Escaping of texts from outside for terminals, Markdown and spreadsheets.

Authors of issues, commits and file names decide the texts in our tables, which are stored as they
are. They are escaped on the way to a reader.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

# Characters that a program takes for more than text: controls, which move the cursor or end a
# line; marks that turn the direction of writing; halves of a character.
_HIDDEN_KINDS = ("Cc", "Cf", "Cs", "Zl", "Zp")
_JOINERS = "\u200c\u200d"  # emoji and several scripts are written with them
_TURNS = "\u200e\u200f\u202a-\u202e\u2066-\u2069"
_CONTROLS = re.compile(rf"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f{_TURNS}]")
_HALVES = re.compile("[\ud800-\udfff]")
_SUSPICIOUS = re.compile(r"[^ -~]")
# What means something in Markdown or HTML: punctuation, what starts a line, what becomes a link.
_MARKS = re.compile(r"[\\`*_\[\]<>|~$&#@]|^\s*[-+=]|(?<=^\d)[.)]|:(?=//)|(?<=www)\.", re.IGNORECASE)
# A cell may be cut at these characters, even within quotes, by a spreadsheet that separates its
# columns by them.
_CUTS = re.compile(r"([,;\t\r\n])")
# The first sign of a formula with nothing but signs and spaces before it. The apostrophe is one of
# them so that one that was there already is not taken away.
_RISKY = re.compile(r"\W*?['=+\-@\uff1d\uff0b\uff0d\uff20]")
_ADDRESS = re.compile(r"https?://[^\s<>\"'`]+")
MOST_DIGITS = 18
"""How many a number has that a column of 64 bits can hold, whatever they are."""
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def escape_text(text: object) -> str:
    """Return ``text`` on one line, with invisible characters escaped."""
    return _SUSPICIOUS.sub(lambda found: _visible(found[0]), str(text))


def in_words(value: str) -> str:
    """Return a value of ours, ``program_crash`` for one, as people read it: ``program crash``."""
    return value.replace("_", " ")


def value_of_words(text: str) -> str:
    """Return the value of ours that ``text`` would be, whatever its case and white space."""
    return "_".join(text.casefold().split())


def is_address(text: str) -> bool:
    """Return whether ``text`` is the address of a page, and nothing else."""
    return _ADDRESS.fullmatch(text) is not None


def is_utf8(text: object) -> bool:
    """Return whether ``text``, such as a file name, is valid UTF-8."""
    return _HALVES.search(str(text)) is None


def whole_characters(value: Any) -> Any:  # noqa: ANN401
    """Return ``value``, read from JSON, with U+FFFD for each half of a character in its texts."""
    if isinstance(value, str):
        return _HALVES.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_HALVES.sub("\ufffd", key): whole_characters(inner) for key, inner in value.items()}
    return [whole_characters(inner) for inner in value] if isinstance(value, list) else value


def without_controls(text: str) -> str:
    """Return ``text`` with lines and tabs, without other controls and direction marks."""
    return _CONTROLS.sub("", text)


def shortened(text: object, length: int) -> str:
    """Return ``text`` as :func:`escape_text` does, cut to ``length`` characters."""
    shown = escape_text(str(text)[: 4 * length])
    return (
        shown
        if len(shown) <= length and len(str(text)) <= 4 * length
        else f"{shown[: length - 1]}…"
    )


def for_markdown(text: object) -> str:
    """Return ``text`` as :func:`escape_text` does, escaped for Markdown viewers.

    No emphasis, link, image, HTML, table cell or heading; no address becomes a link.
    """
    return _MARKS.sub(_escaped, escape_text(text))


def for_spreadsheet(text: str) -> str:
    """Return ``text`` escaped for spreadsheets; :func:`from_spreadsheet` reverts it."""
    first, *others = _CUTS.split(text)
    begun = "'" + first if _is_risky(first) or (not first and others) else first
    return "".join([begun, *("'" + part if _is_risky(part) else part for part in others)])


def from_spreadsheet(text: str) -> str:
    """Return the text of which ``text`` is the safe form; other text stays as it is."""
    first, *others = _CUTS.split(text)
    begun = "" if first == "'" and others else _bare(first)
    return "".join([begun, *map(_bare, others)])


def _escaped(found: re.Match[str]) -> str:
    mark = found[0].strip()
    return _ENTITIES.get(mark, f"\\{mark}")


def _visible(character: str) -> str:
    kind = unicodedata.category(character)
    if kind in ("Zl", "Zp") or character in "\t\n\r\x0b\x0c\x85":
        return " "
    return "" if kind in _HIDDEN_KINDS and character not in _JOINERS else character


def _is_risky(part: str) -> bool:
    return _RISKY.match(part) is not None


def _bare(part: str) -> str:
    return part[1:] if part.startswith("'") and _is_risky(part[1:]) else part
