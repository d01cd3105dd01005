r"""Whether a text that is not a Python 3 is Python 2.

It is used on texts that do not parse, so it is free to say yes of a statement that Python 3 reads
in another way. What it looks for is the syntax that the move to Python 3 took away, as the guides
of that move list it: the statements `print` and `exec`, `except X, e`, `raise E, "text"`,
backticks, `<>`, octal numbers such as `0777`, long integers, `ur''`, and parameters that unpack a
tuple.
"""

from __future__ import annotations

import re

# Strings and comments, which say nothing of the language; a string without an end goes on to the
# end of its line, or of the text.
_TEXTS = re.compile(
    r"""
    \#[^\n]*
    | (?P<prefix>\b[A-Za-z]{1,2})?
      (?: \"{3} (?:\\.|[^\\])*? (?:\"{3}|\Z)
        | '{3} (?:\\.|[^\\])*? (?:'{3}|\Z)
        | \" (?:\\.|[^\\\n\"])* (?:\"|(?=\n)|\Z)
        | ' (?:\\.|[^\\\n'])* (?:'|(?=\n)|\Z) )
    """,
    re.VERBOSE | re.DOTALL,
)
_OPERAND = r"(?!(?:in|is|and|or|if|else|for|not\s+in)\b)[\"\w`{]"
_SIGNS = re.compile(
    rf"""
    ^\#!.*python2
    | (?:^|[;:])[ \t]*(?:print[ \t]*(?:>>|[\"`{{]|[ \t]{_OPERAND})|exec[ \t]*(?:\"|[ \t]{_OPERAND}))
    | (?:^|[;:])[ \t]*except\b[ \t]*(?:[\w.]+|\([^()\n]*\))[ \t]*,[ \t]*[a-z_]\w*[ \t]*:
    | (?:^|[;:])[ \t]*raise[ \t]+[\w.]+[ \t]*,
    | <>
    | `
    | (?<![\w.])(?=0+[1-7])0[0-7]+[lL]?(?![\w.])
    | (?<![\w.])(?:0[xX][0-9a-fA-F]+|\d+)[lL]\b
    | \bdef[ \t]+\w+[ \t]*\((?:[^()\n]{{0,200}},)?[ \t]{{0,20}}\(
    | \blambda(?:[^:()\n]{{0,200}},)?[ \t]{{0,20}}\(
    """,
    re.VERBOSE | re.MULTILINE,
)
_RAW_UNICODE = "ur"


def looks_like_python_two(text: str) -> bool:
    """Return whether a text that Python 3 does not parse has what only Python 2 parses.

    Parameters
    ----------
    text
        Source of a module, or of a cell of a notebook, that is not a Python 3.
    """
    has_raw_unicode = False

    def emptied(found: re.Match[str]) -> str:
        nonlocal has_raw_unicode
        if found[0].startswith("#"):
            return found[0] if found.start() == 0 and found[0].startswith("#!") else ""
        has_raw_unicode |= (found["prefix"] or "").lower() == _RAW_UNICODE
        return '""' + "\n" * found[0].count("\n")

    code = _TEXTS.sub(emptied, text)
    return has_raw_unicode or _SIGNS.search(code) is not None
