"""Texts of strangers, made harmless for where they are shown: titles of issues, names, messages."""

import re
import unicodedata

# A cell may be cut at these characters where a spreadsheet separates columns by another one.
CUTS = re.compile(r"([;\t\r\n])")
# The first sign of a formula with nothing but signs and spaces before it. The apostrophe is one of
# them so that one that was there already is not taken away.
RISKY = re.compile(r"\W*?['=+\-@\uff1d\uff0b\uff0d\uff20]")
MARKUP = re.compile(r"([\\`*_\[\]{}<>|~#!$&])")
# Control codes, what turns the direction of writing, and what no font shows.
HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


def for_spreadsheet(text: str) -> str:
    """``text`` as no spreadsheet takes it for a formula; :func:`from_spreadsheet` gives it back."""
    first, *others = CUTS.split(text)
    begun = "'" + first if _is_risky(first) or (not first and others) else first
    return "".join([begun, *("'" + part if _is_risky(part) else part for part in others)])


def from_spreadsheet(text: str) -> str:
    """The text of which ``text`` is the safe form; other text stays as it is."""
    first, *others = CUTS.split(text)
    begun = "" if first == "'" and others else _bare(first)
    return "".join([begun, *map(_bare, others)])


def for_terminal(text: str) -> str:
    """``text`` on one line, without codes that a terminal would obey; each becomes a mark."""
    if text.isprintable():
        return text
    return "".join(_visible(character) for character in " ".join(text.splitlines()))


def for_markdown(text: str) -> str:
    """``text`` as a cell of a Markdown table shows it: as it stands, without meaning."""
    return MARKUP.sub(r"\\\1", for_terminal(text))


def without_controls(text: str) -> str:
    """``text`` of several lines, without codes that a terminal would obey."""
    return "".join(one if one == "\n" else _visible(one) for one in text.replace("\r\n", "\n"))


def _visible(character: str) -> str:
    if character == "\t":
        return " "
    return "\ufffd" if unicodedata.category(character) in HIDDEN else character


def _is_risky(part: str) -> bool:
    return RISKY.match(part) is not None


def _bare(part: str) -> str:
    return part[1:] if part.startswith("'") and _is_risky(part[1:]) else part
