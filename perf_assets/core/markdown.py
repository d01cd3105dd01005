"""What a reader sees of an issue body: its lines without fenced code and HTML comments."""

import re

FENCE = re.compile(r"^[ \t>]*(?P<marks>`{3,}+|~{3,}+)(?P<info>.*)$")
MARKERS = re.compile(r"^(?:[#>*+\s-]|\d+[.)]\s|\[ ?\]\s?|[_`])+")
TICKED = re.compile(r"^[\s>]*+(?:(?:[-*+]|\d++[.)])\s*+)?\[[xX]\]")
EMPHASIS = re.compile(r"[*_`]+")
SPACES = re.compile(r"\s+")
OPENING, CLOSING = "<!--", "-->"  # of a comment
INDENT = re.compile(r"[ \t>]*")
MARKS = {"`": re.compile("`*"), "~": re.compile("~*")}
LEAST_MARKS = 3


def visible_lines(text: str) -> list[str]:
    """Return the lines of ``text`` outside fenced code blocks and HTML comments.

    Fences follow CommonMark (section 4.5): three or more backticks or tildes, closed by a line of
    at least as many of the same; a fence that is never closed runs to the end. A comment that is
    never closed is text.
    """
    lines: list[str] = []
    fence = ""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    last_closing = text.rfind(CLOSING)
    begin = 0
    while begin <= len(text):
        end = _end_of_line(text, begin)
        line = text[begin:end]
        opening = FENCE.match(line)
        if fence:
            if opening and _closes(opening, fence):
                fence = ""
        elif opening and not (opening["marks"][0] == "`" and "`" in opening["info"]):
            fence = opening["marks"]
        elif OPENING in line:
            line, fence, end = _without_comments(text, begin, end, last_closing)
            if not fence:
                lines.append(line)
        else:
            lines.append(line)
        begin = end + 1
    return lines


def opened_fence(line: str) -> str:
    """Return the marks with which ``line`` opens fenced code; empty if it does not."""
    mark = FENCE.match(line)
    if mark is None or (mark["marks"][0] == "`" and "`" in mark["info"]):
        return ""
    return mark["marks"]


def closes_fence(line: str, fence: str) -> bool:
    """Return whether ``line`` ends the code that the marks ``fence`` opened."""
    mark = FENCE.match(line)
    return mark is not None and _closes(mark, fence)


def _closes(mark: re.Match[str], fence: str) -> bool:
    marks = mark["marks"]
    return marks[0] == fence[0] and len(marks) >= len(fence) and not mark["info"].strip()


def _end_of_line(text: str, begin: int) -> int:
    end = text.find("\n", begin)
    return len(text) if end < 0 else end


def _without_comments(text: str, begin: int, end: int, last_closing: int) -> tuple[str, str, int]:
    """Return the line at ``begin`` without its comments, the marks of the fence it opens, and its
    end.

    What stands behind a comment is read again with what stands before it: both may open another,
    or a fence.
    """
    line = _Begun()
    last_tick = text.rfind("`", begin, end)
    marks = ""
    while not (marks := line.fence(text, begin, end, last_tick)) and 0 <= (
        start := line.comment(text, begin, end)
    ) <= last_closing - len(OPENING):
        if start < begin:
            line.drop()
        else:
            line.add(text[begin:start])
        begin = text.find(CLOSING, start + len(OPENING)) + len(CLOSING)
        if begin > end:
            end = _end_of_line(text, begin)
            last_tick = text.rfind("`", begin, end)
    return line.text + text[begin:end], marks, end


class _Begun:
    """What stands before the comments of a line.

    It knows of the fence that it may open, as reading it anew behind each comment would take
    quadratic time.
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._rest = ""  # the end of it that may open a comment with what follows
        self._mark = ""  # of the fence, if the line begins with one
        self._marks = 0
        self._is_over = False  # something else follows the marks, or stands in their place
        self._has_tick = False  # behind the marks

    @property
    def text(self) -> str:
        """All of it."""
        return "".join([*self._parts, self._rest])

    def add(self, part: str) -> None:
        """Append ``part``."""
        part = self._rest + part
        beginnings = (OPENING[:size] for size in range(len(OPENING) - 1, 0, -1))
        self._rest = next(filter(part.endswith, beginnings), "")
        part = part.removesuffix(self._rest)
        self._parts.append(part)
        self._mark, self._marks, place = self._read(part, 0, len(part))
        self._is_over |= place < len(part)
        self._has_tick |= part.find("`", place) >= 0

    def drop(self) -> None:
        """Leave out what opened a comment with what follows."""
        self._rest = ""

    def comment(self, text: str, begin: int, end: int) -> int:
        """Return where this and ``text[begin:end]`` open a comment, perhaps earlier; else -1."""
        start = begin - len(self._rest)
        if self._rest and self._rest + text[begin : start + len(OPENING)] == OPENING:
            return start
        return text.find(OPENING, begin, end)

    def fence(self, text: str, begin: int, end: int, last_tick: int) -> str:
        """Return the marks of the fence that this and ``text[begin:end]`` open; empty where they do
        not.

        ``last_tick`` is the place of the last backtick before ``end``.
        """
        mark, marks, place = self._read(text, begin, begin if self._rest else end)
        has_tick = self._has_tick or last_tick >= place
        return mark * marks if marks >= LEAST_MARKS and not (mark == "`" and has_tick) else ""

    def _read(self, text: str, begin: int, end: int) -> tuple[str, int, int]:
        """Return the mark, how many, and where they end, once ``text[begin:end]`` is appended."""
        mark, marks = self._mark, self._marks
        if not self._is_over and begin < end:
            if not mark:
                begin = INDENT.match(text, begin, end).end()  # type: ignore[union-attr]
                mark = text[begin : min(begin + 1, end)]
                mark = mark if mark in MARKS else ""
            if mark:
                first = begin
                begin = MARKS[mark].match(text, begin, end).end()  # type: ignore[union-attr]
                marks += begin - first
        return mark, marks, begin


def without_comments(text: str) -> str:
    """``text`` without its HTML comments; one that is never closed is text."""
    kept: list[str] = []
    rest = 0
    while (start := text.find("<!--", rest)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        kept.append(text[rest:start])
        rest = end + 3
    return "".join([*kept, text[rest:]])


def is_ticked(line: str) -> bool:
    """Return whether the line is a ticked checkbox: its author chose the words of the form."""
    return TICKED.match(line) is not None


def normal_form(line: str) -> str:
    """Return the line without marks of lists, headings, quotes and emphasis, case and spaces."""
    bare = EMPHASIS.sub("", MARKERS.sub("", line))
    return SPACES.sub(" ", bare).strip().casefold()
