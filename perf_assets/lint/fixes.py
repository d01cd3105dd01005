"""What mends a finding by itself: replacements of parts of a text that change no meaning."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Edit(NamedTuple):
    """A part of a text, and what stands there afterwards.

    Attributes
    ----------
    line, column, end_line, end_column
        The part: lines from 1, columns in characters from 0.
    text
        What takes its place.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


def applied(text: str, edits: Iterable[Edit]) -> str:
    r"""``text`` after some edits; of two that overlap the first one counts.

    Lines end with ``\n``; what stands before it, as ``\r``, is part of the line.

    Examples
    --------
    >>> applied("f(x)\ng()\n", [Edit(1, 3, 1, 3, ", n=1"), Edit(2, 0, 2, 1, "h")])
    'f(x, n=1)\nh()\n'
    """
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    done = 0
    parts: list[str] = []
    for edit in sorted(edits):
        start = starts[edit.line - 1] + edit.column
        if start >= done or not parts:
            parts += [text[done:start], edit.text]
            done = starts[edit.end_line - 1] + edit.end_column
    return "".join([*parts, text[done:]])


def argument_added(lines: Sequence[str], call: ast.Call, argument: str) -> tuple[Edit, ...]:
    """Return the edit that gives a call a further argument, behind its last one.

    None where something else than a comma stands between that and the bracket, as a comment or
    another bracket does.
    """
    given = [*call.args, *(word.value for word in call.keywords)]
    if not given:
        return ()
    last = max(given, key=lambda one: (one.end_lineno or 0, one.end_col_offset or 0))
    start, end = _after(lines, last), _after(lines, call)
    if "".join(between(lines, start, end).split()) not in (")", ",)"):
        return ()
    return (Edit(*start, *start, f", {argument}"),)


def arguments_removed(lines: Sequence[str], call: ast.Call) -> tuple[Edit, ...]:
    """Return the edit that leaves a call with one argument without it."""
    start, end = _after(lines, call.func), _after(lines, call)
    inside = "".join(between(lines, start, end).split())
    if not inside.startswith("(") or "#" in inside or len(call.args) + len(call.keywords) != 1:
        return ()
    return (Edit(*start, *end, "()"),)


def between(lines: Sequence[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    """Return the text from one place to another, as (line, column)."""
    (first, at), (last, until) = start, end
    if first == last:
        return lines[first - 1][at:until]
    return "\n".join([lines[first - 1][at:], *lines[first : last - 1], lines[last - 1][:until]])


def _after(lines: Sequence[str], node: ast.expr) -> tuple[int, int]:
    """Return where a node ends, with the column in characters."""
    line = node.end_lineno or node.lineno
    offset = node.end_col_offset or 0
    return line, len(lines[line - 1].encode()[:offset].decode(errors="replace"))
