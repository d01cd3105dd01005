"""Which lines of Python hold code, in a tenth of the time that lexing all of it takes.

Only where comments and strings begin and end matters for that. What is unusual (raw strings, f
strings, a string without an end) is left to the lexer, whose answer this one equals.
"""

import re
from itertools import accumulate

# A documentation string is the first thing on its line and in three quotes, as Pygments has it.
_MARK = re.compile(
    r"(?P<doc>^[^\S\n]*[rRuUbB]{0,2}(?P<quotes>\"\"\"|'''))|(?P<comment>#[^\n]*)"
    r"|(?P<prefix>(?<!\w)\w*+)(?P<string>\"\"\"|'''|\"|')",
    re.MULTILINE,
)
_REST = {
    '"': re.compile(r'(?:\\.|[^\\\n"])*(?:"|$)', re.DOTALL | re.MULTILINE),
    "'": re.compile(r"(?:\\.|[^\\\n'])*(?:'|$)", re.DOTALL | re.MULTILINE),
    '"""': re.compile(r'(?:\\.|[^\\])*?"""', re.DOTALL),
    "'''": re.compile(r"(?:\\.|[^\\])*?'''", re.DOTALL),
}
_PLAIN = frozenset(["", "u", "U", "b", "B"])


def code_lines(text: str, last: int) -> set[int] | None:
    """Return the numbers of the lines up to ``last`` that hold code; None if it takes a lexer."""
    lines = text.split("\n")
    ends = list(accumulate(len(line) + 1 for line in lines))
    end = ends[min(last, len(ends)) - 1]
    blanked = []
    position = kept = 0
    while position < end and (mark := _MARK.search(text, position)) and mark.start() < end:
        position = _end_of(mark, text)
        if position < 0:
            return None
        if mark["string"] is None:
            # The letter before a documentation string is code to the lexer.
            start = mark.start("comment" if mark["doc"] is None else "quotes")
            blanked += [text[kept:start], "\n" * text.count("\n", start, position)]
            kept = position
    rest = "".join([*blanked, text[kept:]]).split("\n")
    return {number for number, line in enumerate(rest[:last], 1) if line.strip()}


def _end_of(mark: re.Match[str], text: str) -> int:
    """Return where what begins at a mark ends; -1 where that is not plain."""
    if mark["comment"] is not None:
        return mark.end()
    if mark["doc"] is not None:
        end = text.find(mark["quotes"], mark.end())
        return end if end < 0 else end + 3
    rest = _REST[mark["string"]].match(text, mark.end()) if mark["prefix"] in _PLAIN else None
    return -1 if rest is None else rest.end()
