"""Escapes in texts: percent-encoding, character references, backslashes and terminal colours."""

import html
import re
from collections.abc import Callable, Iterator, Sequence

import polars as pl

_COLOUR = r"(?:\x1b|\\{1,4}(?:x1[bB]|033|u001[bB]|e))\[[0-9;]{0,20}[A-Za-z]"
_PERCENT = r"%(?:25)*[0-9A-Fa-f]{2}"
_REFERENCE = r"&(?:amp;)*(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});"
_CODE = r"u[0-9A-Fa-f]{4}|u\{[0-9A-Fa-f]{1,6}\}|U[0-9A-Fa-f]{8}|x[0-9A-Fa-f]{2}|[0-7]{3}"
ANY_ESCAPE = rf"{_COLOUR}|{_PERCENT}|{_REFERENCE}|\\{{1,4}}(?:{_CODE}|[abefnrtv0])"
"""A pattern for Python and for Polars."""

_ESCAPE = re.compile(
    rf"(?P<colour>{_COLOUR})|(?P<percent>(?:{_PERCENT})+)|(?P<reference>{_REFERENCE})"
    rf"|\\{{1,4}}(?:(?P<code>{_CODE})|(?P<letter>[abefnrtv0]))"
)
_BYTE = re.compile(_PERCENT)
_CHUNK = re.compile(r"(?<!\S)[^\s%\\&\x1b]*+[%\\&\x1b]\S*+")
_FOLDERS = re.compile(r"(?<![A-Za-z])[A-Zcd]:\\[^\s\"'<>|*?]*+")
_WORD_AFTER = re.compile(r"[\w-]*+")
_LAST_LETTERS = re.compile(r"[A-Za-z0-9]{1,9}\Z")
_SPACES = {"n": "\n", "r": "\r", "t": "\t"}
_BOUNDARY = "\ufffd"
"""What an escape becomes that stands for no character of a word."""

Span = tuple[int, int]


def may_have_escapes(texts: pl.Series) -> pl.Series:
    """Return whether each of ``texts`` has what may be an escape; False for NULL."""
    return texts.str.contains(ANY_ESCAPE).fill_null(value=False)


def replace_decoded(
    text: str,
    pattern: re.Pattern[str],
    change: Callable[[re.Match[str]], str],
    is_name: Callable[[str], bool],
) -> str:
    """Return ``text`` with matches of ``pattern`` replaced that are seen once escapes are decoded.

    What does not change keeps its escapes. Only parts without white space that have escapes are
    read.

    Parameters
    ----------
    is_name : whether a word is a name: ``\\nick`` has no new line before the name *ick*, if *nick*
        is one.
    """

    def replaced(chunk: re.Match[str]) -> str:
        plain, spans = decoded(chunk[0], is_name)
        if plain == chunk[0]:
            return plain
        written, last = [], 0
        for match in pattern.finditer(plain):
            old, new = match[0], change(match)
            if old == new:
                continue
            before = _common_part(old[:-1], new)
            old, new = old[before:], new[before:]
            after = _common_part(old[:0:-1], new[::-1])
            begin, end = match.start() + before, match.end() - after - 1
            written += [chunk[0][last : spans[begin][0]], new[: len(new) - after]]
            last = spans[end][1]
        return "".join((*written, chunk[0][last:]))

    return _CHUNK.sub(replaced, text)


def _common_part(old: str, new: str) -> int:
    """Return how many characters both begin with, up to the last that is not a letter or digit."""
    length = 0
    for place, (before, after) in enumerate(zip(old, new, strict=False), start=1):
        if before != after:
            break
        if not before.isalnum():
            length = place
    return length


def decoded(
    text: str, is_name: Callable[[str], bool] = lambda _: False
) -> tuple[str, Sequence[Span]]:
    """Return ``text`` without its escapes, and where each character of it is in ``text``."""
    characters: list[str] = []
    spans: list[Span] = []
    last = 0
    for found in _escapes(text, is_name):
        read = _characters(found)
        between = range(last, found.start())
        characters += [*text[last : found.start()], *(character for character, _ in read)]
        spans += [*((place, place + 1) for place in between), *(span for _, span in read)]
        last = found.end()
    spans += [(place, place + 1) for place in range(last, len(text))]
    return "".join((*characters, text[last:])), spans


def _escapes(text: str, is_name: Callable[[str], bool]) -> Iterator[re.Match[str]]:
    """Yield what is an escape in ``text``, and no folder and no beginning of a name."""
    folders = [found.span() for found in _FOLDERS.finditer(text)]
    folders.reverse()
    for found in _ESCAPE.finditer(text):
        while folders and folders[-1][1] <= found.start():
            folders.pop()
        if found["letter"] and folders and folders[-1][0] <= found.start():
            continue
        if found["reference"] and html.unescape(_single(found[0])) == _single(found[0]):
            continue
        letters = _LAST_LETTERS.search(found[0])
        following = _WORD_AFTER.match(text, found.end())
        if letters and following and following[0] and is_name(letters[0] + following[0]):
            continue
        yield found


def _single(reference: str) -> str:
    """Return a character reference that was escaped once or more without these escapes."""
    return reference if reference == "&amp;" else f"&{reference[1:].replace('amp;', '')}"


def _characters(found: re.Match[str]) -> list[tuple[str, Span]]:
    """Return the characters that an escape stands for, and where each is."""
    if found["percent"]:
        return _characters_of_bytes(found)
    if found["reference"]:
        return [(character, found.span()) for character in html.unescape(_single(found[0]))]
    code = found["code"]
    if not code:
        return [(_SPACES.get(found["letter"], _BOUNDARY), found.span())]
    number = int(code, 8) if code.isdigit() and len(code) == 3 else int(code[1:].strip("{}"), 16)
    return [(chr(number) if number < 0x110000 else _BOUNDARY, found.span())]


def _characters_of_bytes(found: re.Match[str]) -> list[tuple[str, Span]]:
    places = [place.span() for place in _BYTE.finditer(found.string, *found.span())]
    read = bytes(int(found.string[end - 2 : end], 16) for _, end in places)
    characters, first = [], 0
    while first < len(read):
        length = next((size for size in range(1, 5) if _is_utf8(read[first : first + size])), 0)
        character = read[first : first + length].decode() if length else _BOUNDARY
        last = first + max(length, 1) - 1
        # In a query a space may be a plus as well.
        character = "+" if character == " " else character
        characters.append((character, (places[first][0], places[last][1])))
        first = last + 1
    return characters


def _is_utf8(read: bytes) -> bool:
    try:
        return len(read.decode()) == 1
    except UnicodeDecodeError:
        return False
