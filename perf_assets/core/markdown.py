"""What a reader sees of an issue body: its lines without fenced code and HTML comments."""

import re

FENCE = re.compile(r"^[ \t>]*(?P<marks>`{3,}|~{3,})(?P<info>.*)$")
MARKERS = re.compile(r"^(?:[#>*+\s-]|\d+[.)]\s|\[ ?\]\s?|[_`])+")
TICKED = re.compile(r"^[\s>]*(?:[-*+]|\d+[.)])?\s*\[[xX]\]")
EMPHASIS = re.compile(r"[*_`]+")
SPACES = re.compile(r"\s+")


def visible_lines(text: str) -> list[str]:
    """The lines of ``text`` outside fenced code blocks and HTML comments.

    Fences follow CommonMark (section 4.5): three or more backticks or tildes, closed by a line of
    at least as many of the same; a fence that is never closed runs to the end. A comment that is
    never closed is text.
    """
    lines: list[str] = []
    fence = ""
    rest = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    position = 0
    while position < len(rest):
        line = rest[position]
        position += 1
        opening = FENCE.match(line)
        if fence:
            if opening and _closes(opening, fence):
                fence = ""
            continue
        if opening and not (opening["marks"][0] == "`" and "`" in opening["info"]):
            fence = opening["marks"]
            continue
        start = line.find("<!--")
        if start >= 0:
            end, after = _comment_end(rest, position - 1, start)
            if end >= 0:
                # What stands behind the comment is read again: it may open another.
                rest[end] = line[:start] + after
                position = end
                continue
        lines.append(line)
    return lines


def _closes(mark: re.Match[str], fence: str) -> bool:
    marks = mark["marks"]
    return marks[0] == fence[0] and len(marks) >= len(fence) and not mark["info"].strip()


def _comment_end(lines: list[str], position: int, start: int) -> tuple[int, str]:
    """Line where the comment opened at ``start`` ends and the text behind it; -1 when never."""
    offset = start + 4
    for index in range(position, len(lines)):
        found = lines[index].find("-->", offset)
        if found >= 0:
            return index, lines[index][found + 3 :]
        offset = 0
    return -1, ""


def without_comments(text: str) -> str:
    """``text`` without its HTML comments; one that is never closed is text."""
    kept: list[str] = []
    rest = 0
    while (start := text.find("<!--", rest)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        kept.append(text[rest:start])
        rest = end + 3
    return "".join([*kept, text[rest:]])


def is_ticked(line: str) -> bool:
    """Whether the line is a ticked checkbox: words its author chose, whoever wrote them."""
    return TICKED.match(line) is not None


def normal_form(line: str) -> str:
    """The line without list, heading, quote, checkbox and emphasis marks, case and extra space."""
    bare = EMPHASIS.sub("", MARKERS.sub("", line))
    return SPACES.sub(" ", bare).strip().casefold()
